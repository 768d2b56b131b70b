/** What of a topic's partition was read and is not done yet, and since when. */
export class Lag {
  private end = 0;
  /** The first record of each batch that was read, as `[next, at]` of the batch: oldest first. */
  private batches: { readonly next: number; readonly at: number }[] = [];

  /** Records up to `next` were read, the first of them written at `at`, epoch ms; `end` is the known end. */
  read(next: number, end: number, at: number | undefined): void {
    this.end = Math.max(this.end, end);
    if (at === undefined || (this.batches.at(-1)?.next ?? 0) >= next) return;
    this.batches.push({ next, at });
    if (this.batches.length > BATCHES_MAX) this.batches.splice(1, BATCHES_MAX / 2);
  }

  /** Everything before `done` is done. */
  at(done: number, now: number): { readonly records: number; readonly seconds: number } {
    const left = this.batches.findIndex(({ next }) => next > done);
    this.batches.splice(0, left === -1 ? this.batches.length : left);
    const records = Math.max(0, this.end - done);
    const [oldest] = this.batches;
    return { records, seconds: records === 0 || oldest === undefined ? 0 : Math.max(0, (now - oldest.at) / 1_000) };
  }
}

/** More of them tell the age no better: those after the oldest are thinned out. */
const BATCHES_MAX = 1_000;
