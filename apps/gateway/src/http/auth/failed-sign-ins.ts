import type { Clock } from '@holdfast/service';

const MINUTE_MS = 60_000;
/** Addresses that are remembered at the same time; who floods from more is bounded by the requests that are let in. */
const ADDRESSES_MAX = 10_000;

type Failures = { count: number; readonly since: number };

/** How often each address has shown a credential that is none. */
export class FailedSignIns {
  private readonly byAddress = new Map<string, Failures>();

  constructor(
    private readonly perMinute: number,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /** Ms until an address may show something again; 0 where it may now. */
  waitFor(address: string): number {
    const failures = this.of(address);
    if (this.perMinute === 0 || failures === null || failures.count < this.perMinute) return 0;
    return Math.max(1, failures.since + MINUTE_MS - this.clock.monotonic());
  }

  note(address: string): void {
    if (this.perMinute === 0) return;
    const failures = this.of(address);
    if (failures !== null) failures.count += 1;
    else this.begin(address);
  }

  private of(address: string): Failures | null {
    const failures = this.byAddress.get(address);
    if (failures === undefined) return null;
    if (this.clock.monotonic() - failures.since < MINUTE_MS) return failures;
    this.byAddress.delete(address);
    return null;
  }

  private begin(address: string): void {
    const [oldest] = this.byAddress.keys();
    if (this.byAddress.size >= ADDRESSES_MAX && oldest !== undefined) this.byAddress.delete(oldest);
    this.byAddress.set(address, { count: 1, since: this.clock.monotonic() });
  }
}
