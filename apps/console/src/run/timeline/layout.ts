import type { AttemptView, DoubtEntry } from '@holdfast/api';

export type GroupBy = 'session' | 'partition' | 'tool';

/** One attempt as it is drawn: `from` and `to` are when it was held, `ordered` when it was scheduled. */
export type Bar = {
  readonly attempt: AttemptView;
  /** The doubt that it stands for, where it is one. */
  readonly doubt: DoubtEntry | null;
  readonly ordered: number;
  readonly from: number;
  readonly to: number;
};
/** Bars that do not touch each other, in the order of time. */
export type Row = readonly Bar[];
export type Group = { readonly name: string; readonly rows: readonly Row[]; readonly count: number };
export type Layout = { readonly groups: readonly Group[]; readonly from: number; readonly to: number };

const NOBODY = 'held by nobody that is known';

const groupName = (attempt: AttemptView, by: GroupBy): string => {
  if (by === 'session') return attempt.session ?? NOBODY;
  if (by === 'partition') return `${attempt.queue}, partition ${attempt.partition}`;
  return attempt.tool;
};

export type Shown = { readonly attempts: readonly AttemptView[]; readonly doubts: readonly DoubtEntry[] };

/**
 * Every attempt in its group, packed into as few rows as overlap demands, groups by when they began; before all of them
 * what was in doubt. Open ones reach until `now`.
 */
export const layoutOf = ({ attempts, doubts }: Shown, by: GroupBy, now: number): Layout => {
  if (attempts.length === 0) return { groups: [], from: now, to: now + 1 };
  const groups = new Map<string, Bar[]>();
  let from = Infinity;
  let to = -Infinity;
  for (const attempt of attempts) {
    const bar = barOf(attempt, now);
    from = Math.min(from, bar.ordered);
    to = Math.max(to, bar.to);
    const name = groupName(attempt, by);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [bar]);
    else group.push(bar);
  }
  const named = [...groups]
    .map(([name, bars]) => groupOf(name, bars))
    .toSorted((one, other) => beginOf(one) - beginOf(other));
  const doubted = doubtBars(attempts, doubts, now);
  return {
    groups: doubted.length === 0 ? named : [groupOf(IN_DOUBT, doubted), ...named],
    from,
    to: Math.max(to, from + 1),
  };
};

export const IN_DOUBT = 'in doubt';
const groupOf = (name: string, bars: readonly Bar[]): Group => ({ name, rows: packed(bars), count: bars.length });
const beginOf = ({ name, rows }: Group): number => (name === NOBODY ? Infinity : (rows[0]?.[0]?.ordered ?? Infinity));

/** A doubt is drawn from when it was opened until it was settled; its attempt says what it is about. */
const doubtBars = (attempts: readonly AttemptView[], doubts: readonly DoubtEntry[], now: number): readonly Bar[] => {
  const known = new Map(attempts.map((attempt) => [`${attempt.stepId}/${attempt.attempt}`, attempt]));
  return doubts.flatMap((doubt) => {
    const attempt = known.get(`${doubt.stepId}/${doubt.attempt}`);
    if (attempt === undefined) return [];
    const { openedAt } = doubt;
    return [{ attempt, doubt, ordered: openedAt, from: openedAt, to: Math.max(openedAt, doubt.endedAt ?? now) }];
  });
};

const barOf = (attempt: AttemptView, now: number): Bar => {
  const ordered = attempt.scheduledAt;
  const from = Math.max(ordered, attempt.heldAt ?? ordered);
  return { attempt, doubt: null, ordered, from, to: Math.max(from, attempt.endedAt ?? now) };
};

/** Puts each bar into the first row that is free when it begins. */
const packed = (bars: readonly Bar[]): readonly Row[] => {
  const rows: Bar[][] = [];
  const ends: number[] = [];
  for (const bar of bars.toSorted((one, other) => one.ordered - other.ordered)) {
    const free = ends.findIndex((end) => end <= bar.ordered);
    const at = free < 0 ? rows.length : free;
    (rows[at] ??= []).push(bar);
    ends[at] = bar.to;
  }
  return rows;
};

export const ROW_HEIGHT = 12;
export const HEAD_HEIGHT = 26;

export type Line = { readonly top: number } & (
  { readonly kind: 'head'; readonly group: Group } | { readonly kind: 'row'; readonly row: Row }
);

/** All lines from top to bottom: a head for each group, then its rows. */
export const linesOf = (groups: readonly Group[]): { readonly lines: readonly Line[]; readonly height: number } => {
  const lines: Line[] = [];
  let top = 0;
  for (const group of groups) {
    lines.push({ kind: 'head', group, top });
    top += HEAD_HEIGHT;
    for (const row of group.rows) {
      lines.push({ kind: 'row', row, top });
      top += ROW_HEIGHT;
    }
  }
  return { lines, height: top };
};

/** The first bar of a row that ends after `at`, by halving: rows may hold thousands. */
export const firstAfter = (row: Row, at: number): number => {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((row[middle] as Bar).to < at) low = middle + 1;
    else high = middle;
  }
  return low;
};

export type Bucket = { readonly at: number; readonly ended: number };

/** How many attempts ended in each of so many equal parts of the time. */
export const bucketsOf = (
  attempts: readonly AttemptView[],
  { from, to }: Pick<Layout, 'from' | 'to'>,
  count: number,
): Bucket[] => {
  const width = Math.max(1, (to - from) / count);
  const sums = Array.from({ length: count }, () => 0);
  for (const { endedAt } of attempts) {
    if (endedAt === null) continue;
    const at = Math.min(count - 1, Math.max(0, Math.floor((endedAt - from) / width)));
    sums[at] = (sums[at] ?? 0) + 1;
  }
  return sums.map((ended, index) => ({ at: Math.round(from + index * width), ended }));
};
