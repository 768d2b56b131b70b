import { hasEffect, type ReplayPolicy } from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import * as fc from 'fast-check';
import { ModelWorld } from '../../../../test/support/model-world.js';
import { forEach, planOf, step } from '../../../../test/support/plans.js';

const policies = fc.constantFrom<ReplayPolicy>('pure', 'repeatable', 'keyed', 'verifiable', 'unprotected');

const plans: fc.Arbitrary<Plan> = fc.tuple(policies, policies, policies, fc.boolean()).map(([a, b, c, each]) => {
  const last = each ? forEach('c', [1, 2], step('d', c)) : step('c', c, { after: ['a'] });
  return planOf(step('a', a), step('b', b), last);
});

type Move = (world: ModelWorld) => void;
const named = (name: string, move: Move) => ({ name, move, toString: () => name, [fc.toStringMethod]: () => name });
const small = fc.nat(7);
const moves: fc.Arbitrary<{ readonly name: string; readonly move: Move }> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(small, small).map(([i, j]) => named(`claim ${i} ${j}`, (w) => w.claim(i, j))) },
  { weight: 4, arbitrary: fc.constant(named('readClaims', (w) => w.readClaims())) },
  { weight: 4, arbitrary: small.map((i) => named(`act ${i}`, (w) => w.act(i))) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(small, fc.constantFrom('succeeded' as const, 'failed' as const, 'skipped' as const, 'unknown' as const))
      .map(([i, how]) => named(`speak ${i} ${how}`, (w) => w.speak(i, how))),
  },
  { weight: 2, arbitrary: small.map((i) => named(`kill ${i}`, (w) => w.kill(i))) },
  { weight: 1, arbitrary: small.map((i) => named(`mistake ${i}`, (w) => w.mistake(i))) },
  { weight: 1, arbitrary: fc.constant(named('back', (w) => w.back())) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(1, 100, 700, 2_000, 11_000).map((ms) => named(`tick ${ms}`, (w) => w.tick(ms))),
  },
  { weight: 2, arbitrary: fc.constant(named('reconcile', (w) => w.reconcile())) },
  { weight: 1, arbitrary: fc.constant(named('answer', (w) => w.answer())) },
  { weight: 1, arbitrary: fc.constant(named('replace', (w) => w.replace())) },
);

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
  [...world.effects].filter(([key, count]) => count > 1 && hasEffect(world.effectPolicies.get(key) as ReplayPolicy));

/** Plays a schedule, checking after every move, and stops before anything is set right. */
const drive = (plan: Plan, schedule: readonly { readonly move: Move }[]): ModelWorld => {
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
          if (hasEffect(policy)) expect([key, world.effects.get(key)]).toEqual([key, 1]);
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
