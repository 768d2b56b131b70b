import * as fc from 'fast-check';
import { cut, shorten } from './text.js';

describe('the beginning of a text', () => {
  it('is as long as it may be, and holds no half of a pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, length) => {
        const beginning = cut(text, length);
        expect(/\p{Cs}/u.test(beginning)).toBe(false);
        expect(text.startsWith(beginning)).toBe(true);
        expect(beginning.length).toBeGreaterThanOrEqual(Math.min(text.length, length - 1));
        expect(beginning.length).toBeLessThanOrEqual(length);
      }),
    );
  });
});

describe('a text that is shortened', () => {
  it('says that something is missing', () => {
    expect(shorten('ab🎉', 3)).toBe('ab…');
    expect(shorten('ab🎉', 4)).toBe('ab🎉');
  });
});
