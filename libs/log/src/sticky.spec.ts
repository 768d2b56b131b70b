import * as fc from 'fast-check';
import { assignSeats, decodeClaim, encodeClaim } from './sticky.js';
import type { SeatClaim } from './sticky.js';

const claim = (member: string, held: number[] = [], fresh = true): SeatClaim => ({ member, held, fresh });
const shares = (seats: number, ...claims: SeatClaim[]): Record<string, readonly number[]> =>
  Object.fromEntries(assignSeats(seats, claims));

const group = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }).chain((names) =>
  fc.tuple(
    ...names.map((member) =>
      fc.record({
        member: fc.constant(member),
        held: fc.array(fc.integer({ min: -1, max: 14 })),
        fresh: fc.boolean(),
      }),
    ),
  ),
);

describe('assignSeats', () => {
  it('gives all seats to a single member', () => {
    expect(shares(4, claim('a'))).toEqual({ a: [0, 1, 2, 3] });
  });

  it('gives a newcomer what the others have too much of, and moves nothing else', () => {
    expect(shares(6, claim('a', [0, 1, 2, 3, 4, 5]), claim('b'))).toEqual({ a: [0, 1, 2], b: [3, 4, 5] });
    expect(shares(7, claim('new'), claim('x', [0, 2, 4, 6]), claim('y', [1, 3, 5]))).toEqual({
      new: [5, 6],
      x: [0, 2, 4],
      y: [1, 3],
    });
  });

  it('gives the seats of a leaver to the others, who keep theirs', () => {
    expect(shares(6, claim('a', [0, 1]), claim('c', [4, 5]))).toEqual({ a: [0, 1, 2], c: [3, 4, 5] });
  });

  it('lets a member that heard from the group keep a seat that an evicted one claims too', () => {
    expect(shares(2, claim('a', [0, 1], false), claim('b', [0], true))).toEqual({ a: [1], b: [0] });
  });

  it('leaves members over when there are fewer seats', () => {
    expect(shares(1, claim('a'), claim('b', [0]))).toEqual({ a: [], b: [0] });
  });

  it('shares every seat once, evenly, whatever is claimed and in whatever order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 13 }), group, (seats, claims) => {
        const answer = assignSeats(seats, claims);
        const all = [...answer.values()].flat().sort((a, b) => a - b);
        expect(all).toEqual(Array.from({ length: seats }, (_, seat) => seat));
        const sizes = [...answer.values()].map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect(new Map(assignSeats(seats, claims.toReversed()))).toEqual(new Map(answer));
      }),
    );
  });

  it('moves nothing when asked again with its own answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 13 }), group, (seats, claims) => {
        const answer = assignSeats(seats, claims);
        const again = claims.map(({ member }) => claim(member, [...(answer.get(member) ?? [])]));
        expect(new Map(assignSeats(seats, again))).toEqual(new Map(answer));
      }),
    );
  });
});

describe('a claim', () => {
  it('travels as bytes', () => {
    expect(decodeClaim('a', encodeClaim({ held: [1, 4], fresh: true }))).toEqual(claim('a', [1, 4]));
  });

  it.each([undefined, null, '', 'no json', 'null', '{"held":3}', '[]'])(
    'of another make (%p) holds nothing',
    (text) => {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      expect(decodeClaim('a', bytes)).toEqual(claim('a', [], false));
    },
  );

  it('ignores what is no seat', () => {
    expect(decodeClaim('a', Buffer.from('{"held":[1,"2",null,3.5,4],"fresh":1}'))).toEqual(claim('a', [1, 4], false));
  });
});
