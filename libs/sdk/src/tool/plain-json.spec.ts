import * as fc from 'fast-check';
import { plainJson } from './plain-json.js';

const value = (given: unknown) => {
  const plain = plainJson(given);
  if (!plain.ok) throw new Error(plain.problem);
  return plain.value;
};
const problem = (given: unknown) => {
  const plain = plainJson(given);
  return plain.ok ? null : plain.problem;
};

describe('a value as it is read back from the log', () => {
  it('is itself where it is JSON, and what it becomes once written stays so', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(value(json)).toEqual(JSON.parse(JSON.stringify(json)));
      }),
    );
    fc.assert(
      fc.property(fc.anything({ withDate: true, withSparseArray: true }), (thing) => {
        const plain = plainJson(thing);
        if (plain.ok) expect(JSON.parse(JSON.stringify(plain.value))).toEqual(plain.value);
      }),
    );
  });

  it('has clear conversions: dates, nothing, -0, half a character', () => {
    expect(value({ d: new Date(0), u: undefined, z: -0, list: [undefined] })).toStrictEqual({
      d: '1970-01-01T00:00:00.000Z',
      z: 0,
      list: [null],
    });
    expect(Object.is((value([-0]) as number[])[0], 0)).toBe(true);
    expect(value(undefined)).toBeNull();
    expect(value({ 'a\ud83d': 'b\ud83d', whole: '🎉' })).toStrictEqual({ 'a\ufffd': 'b\ufffd', whole: '🎉' });
    expect(
      value(
        new (class Point {
          readonly x = 1;
        })(),
      ),
    ).toStrictEqual({ x: 1 });
    expect(value({ ['__proto__']: 1 })).toStrictEqual(JSON.parse('{"__proto__":1}'));
  });

  it('refuses what JSON would drop or change without a word, with its place', () => {
    expect(problem({ a: [1, { n: Number.NaN }] })).toBe('the result is not JSON: a.1.n is NaN');
    expect(problem(Infinity)).toBe('the result is not JSON: it is Infinity');
    expect(problem({ b: 2n ** 60n })).toContain('b is a bigint');
    expect(problem({ m: new Map([[1, 2]]) })).toContain('m is a Map');
    expect(problem({ s: new Set([1]) })).toContain('s is a Set');
    expect(problem({ f: () => 1 })).toContain('f is a function');
    expect(problem({ p: Promise.resolve() })).toContain('p is a Promise');
    expect(problem({ e: new Error('x') })).toContain('e is a Error');
    const circle: Record<string, unknown> = {};
    circle['self'] = { circle };
    expect(problem(circle)).toContain('self.circle is a part of itself');
    const shared = { x: 1 };
    expect(value([shared, shared])).toStrictEqual([{ x: 1 }, { x: 1 }]);
  });
});
