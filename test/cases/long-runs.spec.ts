import { LaneHarness, type HarnessOptions } from '../support/lane-harness.js';
import { forEach, planOf, step } from '../support/plans.js';
import { settings } from '../support/settings.js';
import { endOf } from './support/priced.js';

const CYCLES = 2_000;
const KILLS = 10;

/** A coordinator over what others have written so far; state is compared with the fold by the last lines of the test. */
const next = (before: LaneHarness | null, more: HarnessOptions = {}): LaneHarness => {
  const options =
    before === null
      ? more
      : { history: before.history, clock: before.clock, owner: `C${before.history.values.length}` };
  return Object.assign(new LaneHarness(options), { proves: false }).seat();
};

/** What a coordinator holds of the run beside what was submitted, in bytes. */
const held = (lane: LaneHarness): number => {
  const { program: _, input: __, ...rest } = lane.live();
  return JSON.stringify(rest).length;
};

const bytesOf = (lane: LaneHarness, from = 0): number =>
  lane.history.values.slice(from).reduce((sum, value) => sum + value.byteLength, 0);

describe('case 71: the run that polls for a month', () => {
  it('goes through thousands of cycles and ten kills in a state that does not grow', () => {
    const cycles = forEach(
      'each',
      Array.from({ length: CYCLES }, (_, cycle) => cycle),
      step('a', 'pure'),
    );
    let lane = next(null, { settings: { ...settings, runMs: 30 * 86_400_000 } });
    lane.submit(planOf({ ...cycles, window: 1 }), { deadlineMs: 30 * 86_400_000 });
    const sizes: number[] = [];
    const lengths: number[] = [];
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      lane.tick(10_000).say('AttemptSucceeded', { step: `each[${cycle}].a` }, { result: 'nothing new' });
      if (cycle % (CYCLES / KILLS) !== CYCLES / KILLS / 2) continue;
      sizes.push(held(lane));
      lengths.push(lane.history.values.length);
      lane = next(lane);
      expect(held(lane)).toBe(sizes.at(-1));
    }
    expect(endOf(lane)).toBe('succeeded: ');
    // A longer number here and there, and nothing for each cycle that is over.
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(100);
    const growth = lengths.map((length, at) => length - (lengths[at - 1] ?? length)).slice(1);
    expect(Math.max(...growth) - Math.min(...growth)).toBeLessThan(10);
  });

  it('keeps what stays the same once, however many steps there are', () => {
    const constant = 'x'.repeat(183_000);
    const cycles = forEach(
      'each',
      Array.from({ length: 500 }, (_, at) => at),
      step('a', 'pure'),
    );
    const lane = next(null).submit(planOf({ ...cycles, window: 1 }), { input: { constant } });
    const accepted = bytesOf(lane);
    for (let at = 0; at < 500; at += 1)
      lane.say('AttemptSucceeded', { step: `each[${at}].a` }, { result: { found: `${at}`.repeat(50) } });
    expect(endOf(lane)).toBe('succeeded: ');
    expect(bytesOf(lane)).toBeLessThan(2 * accepted + 500 * 2_000);
    expect(bytesOf(lane)).toBeLessThan((500 * constant.length) / 50);
  });

  it('is warned before its limit', () => {
    const cycles = forEach(
      'each',
      Array.from({ length: 100 }, (_, cycle) => cycle),
      step('a', 'pure'),
    );
    const lane = next(null).submit(planOf({ ...cycles, window: 1 }), { budget: { steps: 50 } });
    for (let cycle = 0; cycle < 50; cycle += 1) lane.say('AttemptSucceeded', { step: `each[${cycle}].a` });
    const warned = lane.told.findIndex((name) => name.startsWith('BudgetWarned'));
    const ended = lane.told.findIndex((name) => name.startsWith('RunEnded'));
    expect(warned).toBeGreaterThan(0);
    expect(ended).toBeGreaterThan(warned + 5);
    expect(endOf(lane)).toMatch(/^budget_exhausted: steps/);
  });
});
