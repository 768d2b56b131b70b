/** Something that went on in a lane. */
export type Moment = { readonly lane: number; readonly at: number };
export type Span = { readonly from: number; readonly to: number };

/** The longest time in which nothing went on: anywhere, and in the lane that it was longest in. */
export type Still = { readonly anywhereMs: number; readonly laneMs: number };

/** A fault with how long nothing went on around it. */
export type FaultStill = { readonly fault: string; readonly effects: Still; readonly history: Still };

/**
 * The longest time between two neighbouring moments, at least one of which lies in the span or which surround it. Where
 * nothing comes before or after, the span itself is the end.
 */
export const longestGap = (moments: readonly number[], { from, to }: Span): number => {
  const sorted = moments.toSorted((a, b) => a - b);
  const before = sorted.findLast((at) => at <= from) ?? from;
  const after = sorted.find((at) => at >= to) ?? to;
  const within = [before, ...sorted.filter((at) => at > from && at < to), after];
  return Math.max(...within.slice(1).map((at, index) => at - (within[index] ?? at)));
};

export const stillOf = (moments: readonly Moment[], lanes: number, span: Span): Still => {
  const gap = (some: readonly Moment[]): number =>
    longestGap(
      some.map(({ at }) => at),
      span,
    );
  const gaps = Array.from({ length: lanes }, (_, lane) => gap(moments.filter((moment) => moment.lane === lane)));
  return { anywhereMs: gap(moments), laneMs: Math.max(...gaps) };
};
