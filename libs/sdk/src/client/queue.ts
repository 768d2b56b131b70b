/** What was added, in order, handed out one by one. */
export class Queue<T> {
  private readonly items: T[] = [];
  private ended = false;
  private error: Error | null = null;
  private wake: () => void = () => undefined;

  add(item: T): void {
    this.items.push(item);
    this.wake();
  }

  end(): void {
    this.ended = true;
    this.wake();
  }

  fail(error: Error): void {
    this.error = error;
    this.wake();
  }

  /** Null when it has ended. Rejects when it has failed and everything before was handed out. */
  async next(): Promise<T | null> {
    for (;;) {
      if (this.ended) return null;
      const item = this.items.shift();
      if (item !== undefined) return item;
      if (this.error !== null) throw this.error;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
