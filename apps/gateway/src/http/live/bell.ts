/**
 * Rings when there may be something new in a lane. Whoever waits takes the count before it reads, so that a ring between
 * its reading and its waiting is not missed.
 */
export class Bell {
  private counted = 0;
  private readonly lanes = new Map<number, number>();
  private readonly waiting = new Set<Waiter>();

  /** How often it has rung. */
  get count(): number {
    return this.counted;
  }

  ring(lane: number): void {
    this.counted += 1;
    this.lanes.set(lane, this.counted);
    for (const waiter of Array.from(this.waiting)) if (waiter.lane === null || waiter.lane === lane) waiter.wake();
  }

  /** The lanes for which it has rung since. */
  rungSince(count: number): readonly number[] {
    return [...this.lanes].flatMap(([lane, at]) => (at > count ? [lane] : []));
  }

  /** Fulfilled at once if it has rung since, else with the next ring: for one lane, or for any where it is null. */
  wait(lane: number | null, since: number, signal: AbortSignal): Promise<void> {
    const latest = lane === null ? this.counted : (this.lanes.get(lane) ?? 0);
    if (latest > since || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = { lane, wake: () => done() };
      const done = (): void => {
        this.waiting.delete(waiter);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.waiting.add(waiter);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

type Waiter = { readonly lane: number | null; readonly wake: () => void };
