/** Whether this machine's clock and the broker's can be reconciled, by the times that the broker gave to own records. */
export class SkewWatch {
  #strikes = 0;

  constructor(
    readonly skewMs: number,
    readonly strikesMax = 3,
  ) {}

  /**
   * An own record was sent at `sentAt` and answered at `answeredAt` by this clock; the broker gave it `at` (all epoch
   * ms). Answers how far off the clock is when it was off several times in a row, else null. A slow answer proves nothing.
   */
  note(at: number | null, sentAt: number, answeredAt: number): number | null {
    if (at === null) return null;
    const off = at > answeredAt + this.skewMs ? at - answeredAt : at < sentAt - this.skewMs ? at - sentAt : 0;
    this.#strikes = off === 0 ? 0 : this.#strikes + 1;
    return this.#strikes >= this.strikesMax ? off : null;
  }
}
