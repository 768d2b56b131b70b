import { RULES, type Rules } from '../run/rules.js';

/** Only while heartbeats are being read does a lease run; a longer gap gives everyone a full one. */
const READING_MAX_MS = 1_000;

/** Ends that are remembered. A session forgotten here would only be given one more lease. */
const ENDED_MAX = 10_000;

export type SessionEnd = { readonly endedAt: number; readonly clean: boolean };
type Lease = { leftMs: number; expired: boolean };

/**
 * Who is alive, as a level. Each session that holds something has a lease running on this process's own monotonic
 * clock; one never heard of gets a full one; one that heartbeats again is alive again; only its end is final.
 */
export class Leases {
  readonly #leases = new Map<string, Lease>();
  readonly #ended = new Map<string, SessionEnd>();

  constructor(
    readonly leaseMs: number,
    /** Normal length of a tick: a longer one counts as this much, so that a frozen process declares nobody dead on waking. */
    readonly tickMs: number,
    readonly rules: Pick<Rules, 'noLeaseWhileNotReading'> = RULES,
  ) {}

  /** A heartbeat of the session was read. True when it had expired: it is alive again. */
  beat(session: string): boolean {
    const lease = this.#leases.get(session);
    if (lease === undefined) return false;
    const back = lease.expired;
    lease.leftMs = this.leaseMs;
    lease.expired = false;
    return back;
  }

  end(session: string, end: SessionEnd): boolean {
    if (this.#ended.has(session)) return false;
    this.#ended.set(session, end);
    this.#leases.delete(session);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest);
    return true;
  }

  ended(session: string): SessionEnd | undefined {
    return this.#ended.get(session);
  }

  expired(session: string): boolean {
    return this.#leases.get(session)?.expired ?? false;
  }

  /** The session holds something: from now on its lease runs. */
  expect(session: string): void {
    if (this.#ended.has(session) || this.#leases.has(session)) return;
    this.#leases.set(session, { leftMs: this.leaseMs, expired: false });
  }

  /** Nothing is held by any other session any more. */
  keepOnly(holders: ReadonlySet<string>): void {
    for (const session of this.#leases.keys()) if (!holders.has(session)) this.#leases.delete(session);
  }

  /** Time has passed. Answers the sessions whose lease has run out; they are not expired before `expire` is called. */
  tick(elapsedMs: number, readAgoMs: number): readonly string[] {
    if (readAgoMs > READING_MAX_MS && this.rules.noLeaseWhileNotReading) {
      for (const lease of this.#leases.values()) if (!lease.expired) lease.leftMs = this.leaseMs;
      return [];
    }
    const passed = Math.min(elapsedMs, this.tickMs);
    const out: string[] = [];
    for (const [session, lease] of this.#leases) {
      lease.leftMs -= passed;
      if (lease.leftMs <= 0 && !lease.expired) out.push(session);
    }
    return out;
  }

  /** The heartbeats were read to an end fetched after the lease ran out. True when the session is still silent. */
  expire(session: string): boolean {
    const lease = this.#leases.get(session);
    if (lease === undefined || lease.leftMs > 0 || lease.expired) return false;
    lease.expired = true;
    return true;
  }
}
