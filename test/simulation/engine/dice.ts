/**
 * All chance of a simulation. A roll depends on the seed, its label and how often that label was rolled before, so what
 * is left out of a scenario changes nothing else in it: that is what lets a failing one be shrunk.
 */
export class Dice {
  private readonly rolls = new Map<string, number>();

  constructor(readonly seed: number) {}

  /** A number in [0, 1). */
  roll(label: string): number {
    const count = (this.rolls.get(label) ?? 0) + 1;
    this.rolls.set(label, count);
    return hash(this.seed, label, count) / 2 ** 32;
  }

  chance(label: string, probability: number): boolean {
    return this.roll(label) < probability;
  }

  /** A whole number in [low, high]. */
  between(label: string, low: number, high: number): number {
    return low + Math.floor(this.roll(label) * (high - low + 1));
  }

  pick<T>(label: string, all: readonly [T, ...(readonly T[])]): T {
    return all[Math.floor(this.roll(label) * all.length)] as T;
  }

  /** An id of 24 characters that no other roll gives. */
  id(label: string): string {
    const parts = Array.from({ length: 4 }, () => Math.floor(this.roll(label) * 2 ** 32).toString(36));
    return parts.map((part) => part.padStart(7, '0').slice(-6)).join('');
  }
}

/** FNV-1a over the label, finished as MurmurHash3 finishes (public domain constants). 32 bits. */
const hash = (seed: number, label: string, count: number): number => {
  let h = 0x811c9dc5 ^ seed;
  for (let index = 0; index < label.length; index += 1) h = Math.imul(h ^ label.charCodeAt(index), 0x01000193);
  h = Math.imul(h ^ count, 0x01000193) ^ Math.imul(seed + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

export const several = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
