import { build } from 'hdr-histogram-js';

const US_PER_MS = 1_000;

export type Percentiles = { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };

/** Percentiles of durations in ms, and the longest, kept to three digits. */
export const percentiles = (durationsMs: readonly number[]): Percentiles => {
  const histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 3_600_000_000,
    numberOfSignificantValueDigits: 3,
  });
  for (const ms of durationsMs) histogram.recordValue(Math.max(1, Math.round(ms * US_PER_MS)));
  const at = (percent: number): number => Math.round(histogram.getValueAtPercentile(percent) / 10) / 100;
  const [p50Ms, p99Ms, maxMs] = durationsMs.length === 0 ? [0, 0, 0] : [at(50), at(99), at(100)];
  return { p50Ms, p99Ms, maxMs };
};

/** The pauses between moments that follow each other. */
export const gaps = (momentsMs: readonly number[]): readonly number[] => {
  const sorted = [...momentsMs].sort((a, b) => a - b);
  return sorted.slice(1).map((moment, before) => moment - (sorted[before] ?? moment));
};

/** duplicates: entries beyond the first of a name; lost: expected names without entry. */
export const repeatsAndLosses = (
  names: readonly string[],
  expected: readonly string[],
): { readonly duplicates: number; readonly lost: number } => {
  const seen = new Set(names);
  return { duplicates: names.length - seen.size, lost: expected.filter((name) => !seen.has(name)).length };
};
