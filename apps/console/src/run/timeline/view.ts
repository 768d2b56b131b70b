/** The part of the time that is seen. */
export type Span = { readonly from: number; readonly to: number };

const SHORTEST_MS = 20;

/** Within `whole`, not shorter than what can be told apart. */
export const within = ({ from, to }: Span, whole: Span): Span => {
  const length = Math.min(whole.to - whole.from, Math.max(SHORTEST_MS, to - from));
  const begin = Math.min(whole.to - length, Math.max(whole.from, from));
  return { from: begin, to: begin + length };
};

/** Closer (`factor` below 1) or further away, around a moment that stays where it is. */
export const zoomed = (span: Span, whole: Span, ...[factor, around]: [number, number]): Span =>
  within({ from: around - (around - span.from) * factor, to: around + (span.to - around) * factor }, whole);

/** Earlier or later by a part of what is seen. */
export const moved = (span: Span, whole: Span, part: number): Span => {
  const by = (span.to - span.from) * part;
  return within({ from: span.from + by, to: span.to + by }, whole);
};

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
];
const longSteps = [600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000];

/** Moments for the axis: at most so many, on round times, as distances from the beginning. */
export const ticks = (span: Span, begin: number, most: number): readonly number[] => {
  const length = span.to - span.from;
  const step = [...steps, ...longSteps].find((one) => length / one <= most) ?? length;
  const first = Math.ceil((span.from - begin) / step) * step;
  const found: number[] = [];
  for (let at = first; begin + at <= span.to && found.length <= most; at += step) found.push(at);
  return found;
};
