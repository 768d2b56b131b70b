import { failpointNames } from '@holdfast/service/failpoint';
import { actions, scheduleRandom, scheduleSweeps } from './schedule.js';
import { triggerOf } from './triggers.js';

describe('a sweep', () => {
  it('strikes each failpoint once with each action', () => {
    const pairs = scheduleSweeps(1, { seed: 1 }).map(({ point, action }) => `${point} ${action}`);
    const wanted = failpointNames.flatMap((point) => actions.map((action) => `${point} ${action}`));
    expect(pairs.toSorted()).toEqual(wanted.toSorted());
  });

  it('follows from its seed alone, in another order for another seed', () => {
    expect(scheduleSweeps(2, { seed: 5 })).toEqual(scheduleSweeps(2, { seed: 5 }));
    expect(scheduleSweeps(2, { seed: 5 })).not.toEqual(scheduleSweeps(2, { seed: 6 }));
  });

  it('wakes at each failpoint in one of two sweeps what it has frozen, and kills it in the other', () => {
    const frozen = scheduleSweeps(2, { seed: 3, actions: ['freeze'] });
    for (const point of failpointNames) {
      const after = frozen.filter((strike) => strike.point === point).map((strike) => strike.after);
      expect(after.toSorted()).toEqual(point === 'executor.effect.before' ? ['kill', 'kill'] : ['kill', 'wake']);
    }
  });

  it('waits for a later turn only where a process comes by itself again and again', () => {
    const strikes = scheduleSweeps(20, { seed: 9 });
    for (const { point, nth } of strikes) if (triggerOf(point) !== 'load') expect(nth).toBe(1);
    expect(Math.max(...strikes.map(({ nth }) => nth))).toBe(4);
  });

  it('keeps to the points and actions that are asked for', () =>
    expect(scheduleSweeps(1, { seed: 1, points: ['coordinator.acquired'], actions: ['kill'] })).toMatchObject([
      { id: 0, point: 'coordinator.acquired', action: 'kill', nth: 1 },
    ]));
});

describe('strikes at random', () => {
  it('are as many as asked for, numbered, and follow from the seed', () => {
    const strikes = scheduleRandom(500, { seed: 11 });
    expect(strikes.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, id) => id));
    expect(strikes).toEqual(scheduleRandom(500, { seed: 11 }));
    expect(new Set(strikes.map(({ point }) => point)).size).toBe(failpointNames.length);
  });

  it('wake nobody who sleeps behind the last check', () =>
    expect(
      scheduleRandom(200, { seed: 2, points: ['executor.effect.before'] }).filter(({ after }) => after === 'wake'),
    ).toEqual([]));
});
