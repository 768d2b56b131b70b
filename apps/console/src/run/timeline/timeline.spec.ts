import type { AttemptView, DoubtEntry } from '@holdfast/api';
import { bucketsOf, IN_DOUBT, firstAfter, layoutOf, linesOf, type Bar } from './layout.js';
import { moved, ticks, within, zoomed } from './view.js';

const attempt = (
  stepId: string,
  ...[scheduledAt, heldAt, endedAt]: [number, number | null, number | null]
): AttemptView => ({
  stepId,
  attempt: 0,
  tool: stepId.startsWith('r') ? 'read@1' : 'file@1',
  policy: 'verifiable',
  status: endedAt === null ? 'held' : 'succeeded',
  settling: false,
  queue: 'default',
  partition: 1,
  session: heldAt === null ? null : 'executor-1/w',
  effect: null,
  scheduledAt,
  heldAt,
  endedAt,
});
const names = (rows: readonly (readonly Bar[])[]): readonly (readonly string[])[] =>
  rows.map((row) => row.map(({ attempt: { stepId } }) => stepId));

const shown = (attempts: readonly AttemptView[], doubts: readonly DoubtEntry[] = []) => ({ attempts, doubts });

describe('the layout of a timeline', () => {
  it('puts what overlaps into rows of its own, and uses a row again', () => {
    const { groups } = layoutOf(
      shown([attempt('a', 0, 1, 10), attempt('b', 5, 6, 12), attempt('c', 10, 11, 20), attempt('d', 12, 13, 14)]),
      'session',
      100,
    );
    expect(groups).toMatchObject([{ name: 'executor-1/w', count: 4 }]);
    expect(names(groups[0]?.rows ?? [])).toEqual([
      ['a', 'c'],
      ['b', 'd'],
    ]);
  });

  it('puts what nobody held last, and lets what is open reach until now', () => {
    const layout = layoutOf(shown([attempt('a', 5, null, null), attempt('b', 10, 12, 30)]), 'session', 50);
    expect(layout).toMatchObject({ from: 5, to: 50 });
    expect(layout.groups.map(({ name }) => name)).toEqual(['executor-1/w', 'held by nobody that is known']);
    expect(layout.groups[1]?.rows[0]).toMatchObject([{ ordered: 5, from: 5, to: 50 }]);
  });

  it('shows before all what was in doubt, for as long as it was', () => {
    const doubt = { stepId: 'a', attempt: 0, openedAt: 12, endedAt: null } as DoubtEntry;
    const layout = layoutOf(shown([attempt('a', 5, 6, null)], [doubt, { ...doubt, stepId: 'unknown' }]), 'session', 50);
    expect(layout.groups[0]).toMatchObject({ name: IN_DOUBT, count: 1, rows: [[{ from: 12, to: 50, doubt }]] });
  });

  it('puts groups in the order in which they began', () => {
    const later = { ...attempt('b', 20, 21, 30), session: 'a-later-one' };
    expect(layoutOf(shown([later, attempt('a', 5, 6, 9)]), 'session', 50).groups.map(({ name }) => name)).toEqual([
      'executor-1/w',
      'a-later-one',
    ]);
  });

  it('groups by tool and by partition', () => {
    const attempts = [attempt('read', 0, 1, 2), attempt('file', 0, 1, 2)];
    expect(layoutOf(shown(attempts), 'tool', 5).groups.map(({ name }) => name)).toEqual(['read@1', 'file@1']);
    expect(layoutOf(shown(attempts), 'partition', 5).groups.map(({ name }) => name)).toEqual(['default, partition 1']);
  });

  it('of nothing is empty', () => {
    expect(layoutOf(shown([]), 'session', 7)).toEqual({ groups: [], from: 7, to: 8 });
  });

  it('never lets bars of a row touch each other, for thousands of attempts, and is quick', () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      attempt(`s${index}`, index * 3, index * 3 + 1, index * 3 + ((index * 37) % 90)),
    );
    const began = performance.now();
    const { groups } = layoutOf(shown(many), 'session', 1e6);
    expect(performance.now() - began).toBeLessThan(1_500);
    for (const row of groups.flatMap(({ rows }) => rows)) {
      for (const [at, bar] of row.entries()) expect(bar.ordered).toBeGreaterThanOrEqual(row[at - 1]?.to ?? 0);
      const middle = row[row.length >> 1] as Bar;
      expect(row[firstAfter(row, middle.to)]).toBe(middle);
    }
    const { lines, height } = linesOf(groups);
    expect(lines).toHaveLength(1 + (groups[0]?.rows.length ?? 0));
    expect(height).toBeGreaterThan(lines.at(-1)?.top ?? Infinity);
  });

  it('counts what ended in each part of the time', () => {
    const ended = [attempt('a', 0, 1, 10), attempt('b', 0, 1, 11), attempt('c', 0, 1, 100), attempt('d', 0, 1, null)];
    expect(bucketsOf(ended, { from: 0, to: 100 }, 4).map((bucket) => bucket.ended)).toEqual([2, 0, 0, 1]);
  });
});

describe('what is seen of a timeline', () => {
  const whole = { from: 1_000, to: 11_000 };

  it('stays within the whole, and is never too short', () => {
    expect(within({ from: 0, to: 5_000 }, whole)).toEqual({ from: 1_000, to: 6_000 });
    expect(within({ from: 10_500, to: 12_500 }, whole)).toEqual({ from: 9_000, to: 11_000 });
    expect(within({ from: 5_000, to: 5_000 }, whole)).toEqual({ from: 5_000, to: 5_020 });
    expect(within({ from: 0, to: 99_999 }, whole)).toEqual(whole);
  });

  it('is zoomed around a moment that stays where it is', () => {
    expect(zoomed(whole, whole, 0.5, 3_000)).toEqual({ from: 2_000, to: 7_000 });
    expect(zoomed({ from: 2_000, to: 7_000 }, whole, 10, 3_000)).toEqual(whole);
  });

  it('is moved by a part of itself', () => {
    expect(moved({ from: 2_000, to: 4_000 }, whole, 0.5)).toEqual({ from: 3_000, to: 5_000 });
    expect(moved({ from: 2_000, to: 4_000 }, whole, -9)).toEqual({ from: 1_000, to: 3_000 });
  });

  it('has marks on round times, and not too many', () => {
    expect(ticks(whole, 1_000, 6)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000]);
    expect(ticks({ from: 1_000, to: 1_000 + 9 * 86_400_000 }, 1_000, 10).length).toBeLessThanOrEqual(11);
  });
});
