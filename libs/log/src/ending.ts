/** Does nothing; stands where a callback is given later. */
export const nothing = (): void => undefined;

/**
 * The end of something that lasts long. A promise for it would keep a reaction for every wait that ever raced with it,
 * so waits come and go here by hand.
 */
export class Ending {
  private readonly waits = new Set<() => void>();
  private ended = false;

  get isOver(): boolean {
    return this.ended;
  }

  /** Calls back once at the end (at once if it is over); the returned function gives the wait up. */
  on(callback: () => void): () => void {
    if (this.ended) callback();
    else this.waits.add(callback);
    return () => this.waits.delete(callback);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const callback of this.waits) callback();
    this.waits.clear();
  }

  /** Waits `ms`, or less when it ends. */
  async pause(ms: number): Promise<void> {
    if (this.ended || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        forget();
        resolve();
      };
      const timer = setTimeout(done, ms);
      const forget = this.on(done);
    });
  }
}
