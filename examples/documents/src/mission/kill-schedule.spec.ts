import { scheduleKills, victims, type KillWishes } from './kill-schedule.js';

const wishes = (changes: Partial<KillWishes> = {}): KillWishes => ({
  seed: 1,
  steps: 6_000,
  kill: 'worker',
  killAt: 613,
  more: 0,
  ...changes,
});

describe('scheduling kills', () => {
  it('kills one worker at the asked step, and no more', () =>
    expect(scheduleKills(wishes())).toStrictEqual([{ atStep: 613, victim: 'worker' }]));

  it('kills nothing when asked for nothing', () => expect(scheduleKills(wishes({ kill: 'none' }))).toStrictEqual([]));

  it('spreads further kills of all kinds over the rest of the run', () => {
    const kills = scheduleKills(wishes({ more: 10 }));
    expect(kills).toHaveLength(11);
    expect(kills[0]).toStrictEqual({ atStep: 613, victim: 'worker' });
    expect(new Set(kills.slice(1).map(({ victim }) => victim))).toStrictEqual(new Set(victims));
    const steps = kills.map(({ atStep }) => atStep);
    expect(steps).toStrictEqual([...steps].sort((a, b) => a - b));
    expect(new Set(steps).size).toBe(11);
    expect(Math.max(...steps)).toBeLessThan(6_000);
  });

  it('is the same for the same seed and another for another one', () => {
    expect(scheduleKills(wishes({ more: 10 }))).toStrictEqual(scheduleKills(wishes({ more: 10 })));
    expect(scheduleKills(wishes({ more: 10, seed: 2 }))).not.toStrictEqual(scheduleKills(wishes({ more: 10 })));
  });

  it('fits many kills into a short run', () => {
    const kills = scheduleKills(wishes({ steps: 30, killAt: 5, more: 20 }));
    expect(Math.max(...kills.map(({ atStep }) => atStep))).toBeLessThan(30);
  });
});
