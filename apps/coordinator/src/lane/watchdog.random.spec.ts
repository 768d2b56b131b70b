import { endsBy, waitsFor, type LiveRun, type Wait } from '@holdfast/events';
import * as fc from 'fast-check';
import { settings } from '../../../../test/support/settings.js';
import { moves, plans } from '../../../../test/support/model-moves.js';
import { ModelWorld } from '../../../../test/support/model-world.js';

const liveRun = (world: ModelWorld): LiveRun | null => {
  const run = world.lane.machine.lane.runs.get('run-1')?.run;
  return run === undefined || run.status === 'ended' ? null : run;
};

/** What the run says it waits for: named, and with a moment at which something else follows, unless it has ended. */
const named = (world: ModelWorld, run: LiveRun): readonly Wait[] => {
  const waits = waitsFor(run, { now: world.now, graceMs: settings.graceMs, skewMs: settings.skewMs });
  expect(waits.length).toBeGreaterThan(0);
  const end = endsBy(run);
  if (end === null) return waits;
  for (const { dueAt } of waits) {
    expect(dueAt).not.toBeNull();
    expect(dueAt).toBeGreaterThan(world.now);
    expect(dueAt).toBeLessThanOrEqual(end);
  }
  // Its own timer does not sleep longer than that.
  expect(world.lane.machine.live.get('run-1')?.due).toBeLessThanOrEqual(end);
  return waits;
};

/** Nobody does anything any more: no executor, no reconciler, no person, no news of claims. Only time passes. */
const onlyTimePasses = (world: ModelWorld): void => {
  const ends = endsBy(liveRun(world) as LiveRun) as number;
  for (let round = 0; round < 300; round += 1) {
    const run = liveRun(world);
    if (run === null || run.end !== null) return expect(world.now).toBeLessThanOrEqual(ends);
    const next = Math.min(...named(world, run).map(({ dueAt }) => dueAt as number));
    world.tick(next - world.now);
  }
  throw new Error(`the run goes round in circles: ${JSON.stringify(liveRun(world)?.steps)}`);
};

const played = (schedule: readonly { readonly move: (world: ModelWorld) => void }[], world: ModelWorld): void => {
  for (const { move } of schedule) {
    move(world);
    const run = liveRun(world);
    if (run !== null) named(world, run);
  }
};

describe('a run that is under way, in any state', () => {
  it('waits for something that is named and has a due time, and ends when nothing happens any more', () => {
    fc.assert(
      fc.property(plans, fc.array(moves, { maxLength: 60 }), (plan, schedule) => {
        const world = new ModelWorld();
        world.submit(plan);
        played(schedule, world);
        if (liveRun(world)?.end === null) onlyTimePasses(world);
        expect(world.lane.stopped).toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  it('ends by the deadline of a cancel when nothing happens any more after it', () => {
    fc.assert(
      fc.property(plans, fc.array(moves, { maxLength: 40 }), (plan, schedule) => {
        const world = new ModelWorld();
        world.submit(plan);
        played(schedule, world);
        const before = liveRun(world);
        world.cancel();
        if (before === null || before.end !== null) return;
        const cancelled = liveRun(world);
        if (cancelled?.end === null) {
          expect(endsBy(cancelled)).toBe(Math.min(world.now + settings.cancelMs, before.deadlineAt));
          onlyTimePasses(world);
        }
        const ends = world.lane.events().flatMap(({ event }) => (event.type === 'RunEnded' ? [event.data] : []));
        expect(ends).toMatchObject([{ reason: 'cancelled', cause: { kind: 'cancel' } }]);
      }),
      { numRuns: 100 },
    );
  });
});
