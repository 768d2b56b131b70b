import type { Clock } from '@holdfast/service';

/** What many ask for all the time and what costs something to find out: found out once for all who ask within a moment. */
export class Briefly<T> {
  private known: { readonly until: number; readonly value: Promise<T> } | null = null;

  constructor(
    private readonly find: () => Promise<T>,
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly ms: number,
  ) {}

  get(): Promise<T> {
    const now = this.clock.monotonic();
    if (this.known !== null && now < this.known.until) return this.known.value;
    const value = this.find();
    this.known = { until: now + this.ms, value };
    // A failure is nobody's answer but theirs who asked.
    value.catch(() => (this.known = null));
    return value;
  }
}
