import { longestGap, stillOf } from './stillness.js';

describe('the time without progress around a fault', () => {
  it.each([
    ['between two moments in it', [0, 100, 200, 450, 500, 700], 250],
    ['from the last moment before it', [0, 90, 400, 500, 600], 310],
    ['to the first moment after it', [90, 100, 200, 300, 900], 600],
    ['over all of it', [0, 50, 1_000, 1_100], 950],
    ['not long before it', [0, 95, 200, 300, 400, 510], 110],
  ])('is the longest, %s', (_, moments, ms) => {
    expect(longestGap(moments, { from: 100, to: 500 })).toBe(ms);
  });

  it('is the span where nothing went on at all', () => {
    expect(longestGap([], { from: 100, to: 500 })).toBe(400);
  });

  it('is told for the lane in which it was longest as well', () => {
    const moments = [0, 100, 200, 300, 400].flatMap((at, index) => [{ lane: index % 2, at }]);
    expect(stillOf(moments, 2, { from: 0, to: 400 })).toEqual({ anywhereMs: 100, laneMs: 200 });
  });
});
