/** Numbers that look random and are the same for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 0x9e3779b9) >>> 0;
  }

  /** A whole number from 0 to `sides` - 1. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  pick<T>(all: readonly T[]): T | undefined {
    return all.length === 0 ? undefined : all[this.roll(all.length)];
  }
}
