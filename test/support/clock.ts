/** 29 November 2026, noon UTC: scenarios speak of milliseconds since then. */
export const T0 = Date.UTC(2026, 10, 29, 12);

/** Time that only a test moves, epoch ms. */
export class ManualClock {
  constructor(public now: number = T0) {}

  forward(ms: number): number {
    this.now += ms;
    return this.now;
  }
}
