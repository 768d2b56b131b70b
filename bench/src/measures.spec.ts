import { gaps, percentiles, repeatsAndLosses } from './measures.js';

describe('measuring', () => {
  it('gives the median and the worst of a hundred', () => {
    const durations = Array.from({ length: 100 }, (_, at) => at + 1);
    const { p50Ms, p99Ms, maxMs } = percentiles(durations);
    expect(p50Ms).toBeCloseTo(50, 0);
    expect(p99Ms).toBeCloseTo(99, 0);
    expect(maxMs).toBeCloseTo(100, 0);
  });

  it('keeps fractions of a millisecond', () => expect(percentiles([0.25, 0.25, 0.25]).p50Ms).toBe(0.25));

  it('has no latency of nothing', () => expect(percentiles([])).toStrictEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 }));

  it('takes the pauses between moments, whatever order they are given in', () =>
    expect(gaps([10, 4, 7])).toStrictEqual([3, 3]));

  it('counts what came twice and what never came', () =>
    expect(repeatsAndLosses(['a', 'b', 'a'], ['a', 'b', 'c'])).toStrictEqual({ duplicates: 1, lost: 1 }));
});
