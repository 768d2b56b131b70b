import { hasEffect, type ReplayPolicy } from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import * as fc from 'fast-check';
import { moves, plans, type Move } from '../../../../test/support/model-moves.js';
import { ModelWorld } from '../../../../test/support/model-world.js';

/** What must hold after every move. */
const check = (world: ModelWorld): void => {
  expect(world.lane.stopped).toBeNull();
  const events = world.lane.events().map(({ event }) => event);
  const cancel = events.findIndex(({ type }) => type === 'CancelRequested');
  if (cancel >= 0) expect(events.slice(cancel).map(({ type }) => type)).not.toContain('StepScheduled');
  const scheduled = new Set(
    events.flatMap(({ type, data }) => (type === 'StepScheduled' ? [`run-1/${data.stepId}/${data.attempt}`] : [])),
  );
  expect(world.lane.commands.filter((id) => !scheduled.has(id))).toEqual([]);
  const run = world.lane.machine.lane.runs.get('run-1')?.run;
  if (run === undefined || run.status === 'ended') return;
  for (const { policy, attempts } of run.steps) {
    if (policy === 'verifiable' || policy === 'unprotected') expect(attempts.length).toBeLessThanOrEqual(1);
    if (policy === 'keyed')
      expect(attempts.filter(({ status }) => status !== 'doubtful').length).toBeLessThanOrEqual(1);
  }
  expect(run.report.conflicts).toEqual([]);
};

const twice = (world: ModelWorld) =>
  [...world.effects.times].filter(
    ([key, count]) => count > 1 && hasEffect(world.effects.policies.get(key) as ReplayPolicy),
  );

/** Plays a schedule, checking after every move, and stops before anything is set right. */
const drive = (plan: Plan, schedule: readonly Move[]): ModelWorld => {
  const world = new ModelWorld();
  world.submit(plan);
  for (const { move } of schedule) {
    move(world);
    check(world);
    expect(twice(world)).toEqual([]);
  }
  return world;
};

/** From here on nothing fails any more. */
const settled = (world: ModelWorld): ModelWorld => {
  world.settleDown();
  check(world);
  expect(twice(world)).toEqual([]);
  return world;
};

describe('whatever happens to executors and coordinators', () => {
  it('no effect happens twice, the state is what history says, and the run ends', () => {
    fc.assert(
      fc.property(plans, fc.array(moves, { maxLength: 60 }), (plan, schedule) => {
        expect(settled(drive(plan, schedule)).runStatus).toBe('ended');
      }),
      { numRuns: 60 },
    );
  });

  it('a run that has succeeded has done each of its effects exactly once', () => {
    fc.assert(
      fc.property(plans, fc.array(moves, { maxLength: 30 }), (plan, schedule) => {
        const world = settled(drive(plan, schedule));
        const events = world.lane.events().map(({ event }) => event);
        const end = events.findLast((event) => event.type === 'RunEnded');
        if (end?.data.reason !== 'succeeded') return;
        const done = events.flatMap((event) =>
          event.type === 'StepScheduled' && event.data.attempt === 0 ? [event.data] : [],
        );
        for (const { key, policy } of done)
          if (hasEffect(policy)) expect([key, world.effects.times.get(key)]).toEqual([key, 1]);
        expect(end.data.report).toMatchObject({ inDoubt: [], running: [], conflicts: [] });
      }),
      { numRuns: 60 },
    );
  });

  it('a cancelled run schedules nothing any more, ends by its deadline, and its doubts go on being settled', () => {
    fc.assert(
      fc.property(
        plans,
        fc.array(moves, { maxLength: 40 }),
        fc.array(moves, { maxLength: 20 }),
        (plan, before, after) => {
          const world = drive(plan, before);
          world.cancel();
          for (const { move } of after) {
            move(world);
            check(world);
          }
          expect(settled(world).runStatus).toBe('ended');
        },
      ),
      { numRuns: 60 },
    );
  });
});
