import type { Clock } from '@holdfast/service';

/** What many ask for all the time and what costs something to find out: found out once for all who ask within a moment. */
export class Briefly<T> {
  private known: { until: number; readonly value: Promise<T> } | null = null;

  constructor(
    private readonly find: () => Promise<T>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly ms: number,
  ) {}

  get(): Promise<T> {
    if (this.known !== null && this.clock.monotonic() < this.known.until) return this.known.value;
    // The moment begins with the answer: however long it takes, nobody looks for it a second time meanwhile.
    const known = { until: Number.POSITIVE_INFINITY, value: this.find() };
    this.known = known;
    known.value.then(
      () => (known.until = this.clock.monotonic() + this.ms),
      // A failure is nobody's answer but theirs who asked.
      () => this.known === known && (this.known = null),
    );
    return known.value;
  }
}
