import { conductOf, type Conduct } from './conduct.js';

const manners = { seed: 1, lateMs: 5_500 };
const thousands: readonly Conduct[] = Array.from({ length: 5_000 }, (_, n) => conductOf(manners, `doc-${n}.md`, 0));
const share = (of: (conduct: Conduct) => boolean): number => thousands.filter(of).length / thousands.length;

describe('the conduct of the office', () => {
  it('is the same for the same seed, document and call', () =>
    expect(conductOf(manners, 'a.md', 3)).toStrictEqual(conductOf(manners, 'a.md', 3)));

  it('differs with the seed, the document and the call', () => {
    const one = JSON.stringify(conductOf(manners, 'a.md', 0));
    const others = [
      conductOf({ ...manners, seed: 2 }, 'a.md', 0),
      conductOf(manners, 'b.md', 0),
      conductOf(manners, 'a.md', 1),
    ];
    expect(others.map((other) => JSON.stringify(other))).not.toContain(one);
  });

  it('holds an answer 5 to 50 ms, partly before and partly after it applies', () => {
    for (const { fate, beforeMs, afterMs } of thousands) {
      if (fate === 'late' || fate === 'slow') continue;
      expect(beforeMs).toBeGreaterThanOrEqual(1);
      expect(afterMs).toBeGreaterThanOrEqual(1);
      expect(beforeMs + afterMs).toBeGreaterThanOrEqual(5);
      expect(beforeMs + afterMs).toBeLessThanOrEqual(50);
    }
  });

  it('cuts and refuses about one call in fifty each', () => {
    expect(share(({ fate }) => fate === 'drops')).toBeCloseTo(0.02, 1.8);
    expect(share(({ fate }) => fate === 'refuses')).toBeCloseTo(0.02, 1.8);
  });

  it('takes its time with some before it applies, but less than a settle window', () => {
    const slow = thousands.filter(({ fate }) => fate === 'slow').map(({ beforeMs }) => beforeMs);
    expect(slow.length).toBeGreaterThan(50);
    expect(Math.min(...slow)).toBeGreaterThanOrEqual(150);
    expect(Math.max(...slow)).toBeLessThanOrEqual(400);
  });

  it('is late now and then, by more than any sensible time-out', () => {
    const late = thousands.filter(({ fate }) => fate === 'late');
    expect(late.length).toBeGreaterThan(0);
    expect(Math.min(...late.map(({ afterMs }) => afterMs))).toBeGreaterThanOrEqual(5_500);
  });

  it('drops half of the calls whose client has gone', () =>
    expect(share(({ appliesWhenGone }) => appliesWhenGone)).toBeCloseTo(0.5, 1));
});
