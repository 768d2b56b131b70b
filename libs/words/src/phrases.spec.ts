import { moment, some, span } from './phrases.js';

describe('lengths of time', () => {
  it.each([
    [-5, '0 ms'],
    [850, '850 ms'],
    [12_000, '12 s'],
    [184_000, '3 min 4 s'],
    [7_200_000, '2 h'],
    [93_600_000 + 59_000, '1 d 2 h'],
  ])('%d ms is told as %s', (ms, words) => expect(span(ms)).toBe(words));

  it('tells how far away a moment is', () => {
    const at = Date.UTC(2026, 0, 2);
    expect([moment(at, at - 5_000), moment(at, at), moment(at, at + 60_000)]).toEqual([
      '2026-01-02T00:00:00.000Z (in 5 s)',
      '2026-01-02T00:00:00.000Z (now)',
      '2026-01-02T00:00:00.000Z (1 min ago)',
    ]);
  });
});

describe('many names', () => {
  it('are the first few and a number', () => {
    expect([some(['a', 'b']), some(['a', 'b', 'c'], 2)]).toEqual(['a, b', 'a, b and 1 more']);
  });
});
