import { amountWords, budgetName, bytesWords, countWords, plural, share } from './numbers.js';
import { pieces } from './sentence.js';
import { clockWords, countdown, durationWords, momentWords, relativeWords } from './time.js';

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

describe('time', () => {
  it.each([
    [0, '0 ms'],
    [320, '320 ms'],
    [1_350, '1.3 s'],
    [14_900, '14 s'],
    [2 * MIN, '2 min'],
    [2 * MIN + 5 * S, '2 min 5 s'],
    [3 * H + 7 * MIN, '3 h 7 min'],
    [2 * D + 4 * H, '2 d 4 h'],
    [-5, '0 ms'],
  ])('%s ms last %s', (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });

  it.each([
    [0, 'now'],
    [-12 * S, '12 s ago'],
    [-59 * MIN, '59 min ago'],
    [3 * H, 'in 3 h'],
    [-3 * D, '3 d ago'],
  ])('%s ms from now is %s', (difference, words) => {
    expect(relativeWords(1e12 + difference, 1e12)).toBe(words);
  });

  it.each([
    [2_100, '0:03'],
    [14 * MIN + 12 * S, '14:12'],
    [2 * H + 5 * MIN + 9 * S, '2:05:09'],
    [D + H, '1 d 1 h'],
    [-1, '0:00'],
  ])('counts %s ms down as %s', (left, words) => {
    expect(countdown(1e12 + left, 1e12)).toBe(words);
  });

  it('shows thousandths of a second', () => {
    expect(clockWords(Date.UTC(2026, 10, 30, 5, 4, 3, 7))).toMatch(/^\d\d:\d4:03\.007$/);
  });
});

describe('a sentence of the runtime', () => {
  it('is the same text, with its moments apart', () => {
    const text = 'It waits until 2026-11-30T05:59:05.820Z, at last until 2026-12-01T05:59:05Z.';
    const found = pieces(text);
    expect(found.map((piece) => piece.text).join('')).toBe(text);
    expect(found.filter(({ at }) => at !== null).map(({ at }) => at)).toEqual([
      Date.UTC(2026, 10, 30, 5, 59, 5, 820),
      Date.UTC(2026, 11, 1, 5, 59, 5),
    ]);
    expect(pieces('nothing')).toEqual([{ text: 'nothing', at: null }]);
    expect(pieces('at 2026-99-30T05:59:05Z')).toEqual([{ text: 'at 2026-99-30T05:59:05Z', at: null }]);
  });

  it('names the day only where it is another one', () => {
    const noon = new Date(2026, 10, 30, 12, 5, 6).getTime();
    expect(momentWords(noon, noon + 3_600_000)).toBe('12:05:06');
    expect(momentWords(noon, noon + 24 * 3_600_000)).toBe('30 Nov 2026, 12:05:06');
  });
});

describe('amounts', () => {
  it.each([
    ['1234.5678', '1,234.5678'],
    ['0.10', '0.10'],
    ['12345678901234567890.000000001', '12,345,678,901,234,567,890.000000001'],
    ['-1500', '-1,500'],
    ['2.50 EUR', '2.50 EUR'],
    ['unlimited', 'unlimited'],
  ])('%s is shown as %s, and never rounded', (amount, words) => {
    expect(amountWords(amount)).toBe(words);
  });

  it.each([
    ['5', '10', 0.5],
    ['11', '10', 1],
    ['0', '0', 0],
    ['1', '0', 1],
    ['3', null, null],
    ['?', '10', null],
  ])('%s of %s is drawn as %s', (used, limit, part) => {
    expect(share(used, limit)).toBe(part);
  });

  it('has words for kinds, also for those that it does not know', () => {
    expect(['effects', 'money:EUR', 'calls:pay@2', 'pages'].map(budgetName)).toEqual([
      'Effects',
      'Money, EUR',
      'Calls of pay@2',
      'pages',
    ]);
  });

  it('counts in words', () => {
    expect([countWords(1_234_567), plural(1, 'run'), plural(2_000, 'run'), plural(2, 'query', 'queries')]).toEqual([
      '1,234,567',
      '1 run',
      '2,000 runs',
      '2 queries',
    ]);
    expect([bytesWords(41), bytesWords(2_100), bytesWords(5_000_000)]).toEqual(['41 B', '2.1 KiB', '4.8 MiB']);
  });
});
