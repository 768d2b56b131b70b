import { LogDefect, LogUnavailable } from '../log.port.js';
import type { FollowOptions, Tail, TailHandler } from '../log.port.js';
import type { BrokerClient } from './client.js';
import { Ending } from '../ending.js';
import { recordsFrom } from './fetch.js';
import type { PartitionAnswer } from './fetch.js';
import { detailOf } from './internals.js';
import { Poller } from './poller.js';
import type { Followed } from './poller.js';
import type { Reader } from './read.js';

/** One long poll: also the longest time until the end of a quiet partition is told again, in ms. */
const POLL_MS = 250;
/** A partition followed while the long poll is under way is polled aside, in turns this short, until it joins. */
const ASIDE_POLL_MS = 25;
/**
 * A partition that brought records counts as busy for so long, in ms. Busy ones have a poll of their own: each record
 * ends the poll that waits for it, and what that costs both sides grows with the partitions in it.
 */
const BUSY_MS = 5_000;
/** How long a partition that fails on its own is left out, in ms. */
const REST_MS = 200;

/** Three connections, since a broker serves one request of a connection at a time, and for how long a request may last. */
export type TailClients = {
  readonly main: BrokerClient;
  readonly busy: BrokerClient;
  readonly aside: BrokerClient;
  readonly timeoutMs: number;
  /** Rest after each answer. */
  readonly paceMs: number;
  /** Called when the tail is closed. */
  readonly closed: (tail: KafkaTail) => void;
};

/** Follows partitions with two long polls per leader, one for the busy ones, directly, without a consumer group. */
export class KafkaTail implements Tail {
  private readonly followed = new Map<string, Followed>();
  private readonly main: Poller;
  private readonly busy: Poller;
  private readonly aside: Poller;
  private readonly ending = new Ending();

  constructor(
    private readonly clients: TailClients,
    private readonly reader: Reader,
    private readonly handler: TailHandler,
  ) {
    const rules = { timeoutMs: clients.timeoutMs, ending: this.ending, hooks: this };
    const started = (): void => this.joinAside();
    const long = { ...rules, pollMs: POLL_MS, paceMs: clients.paceMs, started };
    this.main = new Poller(clients.main, long, () => this.wanted().filter((position) => !isBusy(position)));
    this.busy = new Poller(clients.busy, long, () => this.wanted().filter(isBusy));
    this.aside = new Poller(clients.aside, { ...rules, pollMs: ASIDE_POLL_MS }, () => this.uncovered());
  }

  follow(topic: string, partition: number, offset: number, { sparse = false }: FollowOptions = {}): void {
    if (this.ending.isOver) return;
    this.followed.set(keyOf(topic, partition), { topic, partition, next: offset, sparse, restUntil: 0, busyUntil: 0 });
    this.main.wake();
  }

  unfollow(topic: string, partition: number): void {
    this.followed.delete(keyOf(topic, partition));
  }

  async close(): Promise<void> {
    this.clients.closed(this);
    this.followed.clear();
    this.ending.end();
    await Promise.all([this.clients.main.close(), this.clients.busy.close(), this.clients.aside.close()]);
  }

  /** Answers to a position that was moved or given up are dropped; two polls of one position deliver once. */
  answered(position: Followed, { answer }: PartitionAnswer): void {
    if (!this.isFollowed(position)) return;
    try {
      const { records, next } = recordsFrom(answer, position.next, position.sparse);
      position.next = next;
      if (records.length > 0) this.noteBusy(position);
      const { topic, partition } = position;
      const end = Number(answer.highWatermark);
      this.handler.batch({ topic, partition, records, next, end });
      if (position.sparse && answer.messages.length === 0 && next < end) void this.split([position]);
    } catch (error) {
      if (!(error instanceof LogDefect)) return this.trouble(error);
      this.unfollow(position.topic, position.partition);
      this.handler.defect?.(position.topic, position.partition, error.message);
    }
  }

  trouble(error: unknown): void {
    if (!this.ending.isOver) this.handler.trouble?.(detailOf(error));
  }

  /** One bad partition fails the whole fetch, so each is asked alone; the bad ones rest, the others go on. */
  async split(positions: readonly Followed[]): Promise<void> {
    for (const position of positions) {
      if (!this.isFollowed(position)) continue;
      try {
        const fetched = await this.reader.read(position, position.next, { sparse: position.sparse });
        if (fetched.outcome === 'fetched' && fetched.records.length === 0) {
          // Only a compacted topic moves on without records: a hole up to its end.
          position.next = Math.max(position.next, fetched.next);
        }
        if (fetched.outcome === 'out_of_range' && this.isFollowed(position)) {
          this.unfollow(position.topic, position.partition);
          const { start, end } = fetched;
          this.handler.outOfRange(position.topic, position.partition, position.next, { start, end });
        }
      } catch (error) {
        if (!(error instanceof LogUnavailable)) continue;
        position.restUntil = performance.now() + REST_MS;
        this.trouble(error);
        // Timers may fire a little early: the rest is ended by hand, or nobody might wake the polls again.
        setTimeout(() => {
          position.restUntil = 0;
          this.wakeAll();
        }, REST_MS);
      }
    }
  }

  private noteBusy(position: Followed): void {
    const wasBusy = isBusy(position);
    position.busyUntil = performance.now() + BUSY_MS;
    if (!wasBusy) this.wakeAll();
  }

  private wakeAll(): void {
    this.main.wake();
    this.busy.wake();
  }

  /** What could not join the long polls that are under way is polled aside. */
  private joinAside(): void {
    if (this.uncovered().length === 0) return;
    this.main.rouse();
    this.busy.rouse();
    this.aside.wake();
  }

  private isFollowed(position: Followed): boolean {
    return !this.ending.isOver && this.followed.get(keyOf(position.topic, position.partition)) === position;
  }

  private wanted(): readonly Followed[] {
    const now = performance.now();
    return [...this.followed.values()].filter(({ restUntil }) => restUntil <= now);
  }

  private uncovered(): readonly Followed[] {
    return this.wanted().filter((position) => !this.main.covers(position) && !this.busy.covers(position));
  }
}

const isBusy = ({ busyUntil }: Followed): boolean => busyUntil > performance.now();

const keyOf = (topic: string, partition: number): string => `${partition} ${topic}`;
