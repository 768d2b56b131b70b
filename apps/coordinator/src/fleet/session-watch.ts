import { decode, encode, heartbeatKind, type TopicNames } from '@holdfast/contracts';
import { LogUnavailable, type Log, type TailBatch } from '@holdfast/log';
import type { Clock, Timer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import type { Metrics } from '@holdfast/telemetry';
import type { Rules } from '../run/rules.js';
import { Fleet } from './fleet.js';
import { Leases, type SessionEnd } from './leases.js';

/** Heartbeats from before this many records say nothing about now. */
const BACKLOG = 2_000;

export type WatchParts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: ServiceLogger;
  readonly coordinator: string;
  readonly rules: Pick<Rules, 'noLeaseWhileNotReading' | 'expiryIsConfirmed'>;
  readonly follow: (topic: string, partition: number, offset: number) => void;
  /** A session has ended, or expired, or is back: whoever it holds something for must look again. */
  readonly changed: () => void;
  readonly back: (session: string) => void;
  readonly metrics?: Metrics | undefined;
};

/** Reads the heartbeats once per process: who is alive, what is served. Writes this coordinator's own. */
export class SessionWatch {
  readonly leases: Leases;
  readonly fleet: Fleet;
  #next = 0;
  #readAt = -Infinity;
  #tickedAt: number;
  readonly #confirming = new Set<string>();
  #barriers: { readonly offset: number; readonly passed: () => void }[] = [];

  constructor(
    readonly parts: WatchParts,
    readonly times: { readonly leaseMs: number; readonly tickMs: number },
  ) {
    this.leases = new Leases(times.leaseMs, times.tickMs, parts.rules);
    this.fleet = new Fleet(times.leaseMs);
    this.#tickedAt = parts.clock.monotonic();
  }

  async start(): Promise<void> {
    const { start, end } = await this.parts.log.bounds(this.parts.names.heartbeats, 0);
    this.#next = Math.max(start, end - BACKLOG);
    this.parts.follow(this.parts.names.heartbeats, 0, this.#next);
  }

  get readAgoMs(): number {
    return this.parts.clock.monotonic() - this.#readAt;
  }

  batch({ records, next }: TailBatch): void {
    const now = this.parts.clock.monotonic();
    for (const { value, at } of records) {
      const decoded = decode(heartbeatKind, value);
      if (!decoded.ok) {
        this.parts.logger.warn({ code: decoded.code, problem: decoded.problem }, 'a heartbeat cannot be read');
        continue;
      }
      const { message } = decoded;
      if (message.type === 'CoordinatorBeat') this.fleet.coordinator(message.data, now);
      else if (message.type === 'SessionEnded')
        this.#ended(message.data.session, { endedAt: at, clean: message.data.cause === 'stopped' });
      else if (message.type === 'ExecutorBeat') {
        // An old one, read late, proves no life; it is told by the time that the broker gave it.
        const fresh = this.parts.clock.now() - at < this.times.leaseMs;
        if (fresh) this.fleet.executor(message.data, now);
        for (const { session } of message.data.sessions)
          if (fresh && this.leases.beat(session)) this.parts.back(session);
      }
    }
    this.#next = next;
    this.#readAt = now;
    for (const barrier of this.#barriers.splice(0)) {
      if (next >= barrier.offset) barrier.passed();
      else this.#barriers.push(barrier);
    }
  }

  tick(): void {
    const now = this.parts.clock.monotonic();
    const out = this.leases.tick(now - this.#tickedAt, now - this.#readAt);
    this.#tickedAt = now;
    for (const session of out) void this.#confirm(session);
  }

  async beat(lanes: readonly number[], demand: Readonly<Record<string, number>>): Promise<void> {
    const { coordinator, clock, log, names } = this.parts;
    const at = clock.now();
    const data = { coordinator, lanes: [...lanes], demand, at };
    const time = new Date(at).toISOString();
    const message = {
      type: 'CoordinatorBeat',
      version: 1,
      id: `${coordinator}/${at}`,
      source: 'holdfast/coordinator',
      subject: null,
      time,
      principal: null,
    };
    failpoint('coordinator.heartbeat.before');
    await log.append(names.heartbeats, 0, [{ key: coordinator, value: encode({ ...message, data }) }]);
    failpoint('coordinator.heartbeat.after');
  }

  #ended(session: string, end: SessionEnd): void {
    if (!this.leases.end(session, end)) return;
    this.parts.metrics?.add('holdfast_sessions_ended_total', { how: end.clean ? 'clean' : 'unclean' });
    this.fleet.ended(session);
    this.parts.changed();
  }

  /** Declares nobody dead before the heartbeats are read to an end fetched now. */
  async #confirm(session: string): Promise<void> {
    if (this.#confirming.has(session)) return;
    this.#confirming.add(session);
    try {
      const { expiryIsConfirmed } = this.parts.rules;
      const { end } = expiryIsConfirmed ? await this.parts.log.bounds(this.parts.names.heartbeats, 0) : { end: 0 };
      if (this.#next < end) await new Promise<void>((passed) => void this.#barriers.push({ offset: end, passed }));
      if (!this.leases.expire(session)) return;
      this.parts.metrics?.add('holdfast_lease_expiries_total', {});
      this.fleet.ended(session);
      this.parts.logger.warn(
        { session, leaseMs: this.times.leaseMs },
        'a session has expired: no heartbeat within its lease',
      );
      this.parts.changed();
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
    } finally {
      this.#confirming.delete(session);
    }
  }
}
