/** A stream of numbers in [0, 1) that depends on nothing but its seed. */
export type Random = () => number;

/** The stream of a seed and the names it is asked for: the same names give the same numbers, in any order of asking. */
export const randomOf = (seed: number, ...names: readonly (string | number)[]): Random =>
  mulberry32(fnv1a([seed, ...names].join('\n')));

/** A whole number in [low, high]. */
export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

/** The same things in an order chosen by the stream. */
export const shuffled = <T>(things: readonly T[], random: Random): readonly T[] =>
  things
    .map((thing) => ({ thing, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ thing }) => thing);

const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
};

const mulberry32 = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
