/**
 * Rows of one table that may still change, and those that have changed since they were taken last. What is forgotten is
 * over: its last change is still taken. Nothing here depends on when it is taken, so that rows do not either.
 */
export class KeptRows<R> {
  private readonly kept = new Map<string, R>();
  private changed = new Map<string, R>();

  constructor(private readonly keyOf: (row: R) => string) {}

  get size(): number {
    return this.kept.size;
  }

  get(key: string): R | undefined {
    return this.kept.get(key);
  }

  entries(): IterableIterator<[string, R]> {
    return this.kept.entries();
  }

  values(): IterableIterator<R> {
    return this.kept.values();
  }

  put(row: R): void {
    const key = this.keyOf(row);
    this.kept.set(key, row);
    this.changed.set(key, row);
  }

  /** The row is changed for the last time. */
  close(row: R): void {
    const key = this.keyOf(row);
    this.kept.delete(key);
    this.changed.set(key, row);
  }

  forget(key: string): void {
    this.kept.delete(key);
  }

  /** Changes that are not to be written, since they belong to what is replaced as a whole. */
  drop(concerns: (row: R) => boolean): void {
    for (const [key, row] of this.changed) if (concerns(row)) this.changed.delete(key);
  }

  take(): readonly R[] {
    const rows = [...this.changed.values()];
    this.changed = new Map();
    return rows;
  }
}
