import { laneDigest, newLane } from '@holdfast/events';
import * as fc from 'fast-check';
import { fold } from '../../../../test/golden/snapshots.js';
import { digest } from '../../../../test/support/digest.js';
import { moves, plans } from '../../../../test/support/model-moves.js';
import { ModelWorld } from '../../../../test/support/model-world.js';
import { readAgain } from '../../../../test/support/snapshots.js';

const taking = { snapshotEvents: 1, snapshotEveryMs: 0 };

/** The hash of the state after each record. */
const statesOf = (values: readonly Uint8Array[]): readonly string[] => {
  const lane = newLane();
  return values.map((value) => {
    fold(lane, value);
    return laneDigest(lane, digest);
  });
};

describe('whatever happens in a lane', () => {
  it('each snapshot that its coordinators take is what its history says, and so is all that is folded on from it', () => {
    let taken = 0;
    fc.assert(
      fc.property(plans, fc.array(moves, { maxLength: 50 }), (plan, schedule) => {
        const world = new ModelWorld({}, taking);
        world.submit(plan);
        for (const { move } of schedule) move(world);
        const { values } = world.lane.history;
        const states = statesOf(values);
        for (const snapshot of world.taken) {
          const { lane, next } = readAgain(snapshot);
          expect(laneDigest(lane, digest)).toBe(states[next - 1]);
          for (let at = next; at < values.length; at += 1) {
            fold(lane, values[at] ?? new Uint8Array());
            expect(laneDigest(lane, digest)).toBe(states[at]);
          }
          taken += 1;
        }
      }),
      { numRuns: 25 },
    );
    expect(taken).toBeGreaterThan(25);
  });

  it('whoever takes it over from a snapshot comes to the same lane and makes the same reactions', () => {
    fc.assert(
      fc.property(plans, fc.array(moves, { maxLength: 50 }), fc.nat(), (plan, schedule, which) => {
        const world = new ModelWorld({}, taking);
        world.submit(plan);
        for (const { move } of schedule) move(world);
        const snapshot = world.taken[which % world.taken.length];
        if (snapshot === undefined) return;
        const whole = world.replacement({ snapshotEvents: 0 });
        const short = world.replacement(taking, () => readAgain(snapshot));
        expect(short.machine.lane).toEqual(whole.machine.lane);
        expect(short.reactions).toEqual(whole.reactions);
        expect([...short.watched].toSorted()).toEqual([...whole.watched].toSorted());
      }),
      { numRuns: 60 },
    );
  });
});
