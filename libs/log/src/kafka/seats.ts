import kafkajs from 'kafkajs';
import type { Consumer } from 'kafkajs';
import type { CommittedPosition, SeatMembership, SeatPool, Seats } from '../seats.port.js';
import { FEW_RETRIES, withAdmin } from './admin.js';
import { within } from './deadline.js';
import { Ending, nothing } from '../ending.js';
import { kafkaConfig } from './options.js';
import type { KafkaOptions } from './options.js';
import { HeldSeats } from './held-seats.js';
import { seatAssigner } from './seat-assigner.js';
import { liveAsMember } from './seat-member.js';

export type KafkaSeatsOptions = KafkaOptions & {
  /** Silence after which the group gives a member's seats away, in ms; default 6000, the least that brokers allow by default. */
  readonly sessionTimeoutMs?: number;
};

/** The group waits this long for members that do not come by at a rebalance. */
const REBALANCE_TIMEOUT_MS = 3000;
/** Heartbeats run between polls of the (empty) topic, so both are short. */
const HEARTBEAT_MS = 500;
const POLL_MS = 250;
/** How much earlier than the group a member stops trusting its seats: an answer's way and a late timer. */
const MARGIN_MS = 1000;
/** How often a member asks itself whether the group is still heard of. */
const SILENCE_CHECK_MS = 500;
const BACKOFF_MS_MIN = 250;
const BACKOFF_MS_MAX = 4000;
const REQUEST_TIMEOUT_MS = 3000;
const COMMITTED_TIMEOUT_MS = 10_000;
const LEAVE_TIMEOUT_MS = 3000;

/** `Seats` on a Kafka consumer group that consumes nothing: the partitions of an empty topic are the seats. */
export function createKafkaSeats(options: KafkaSeatsOptions): Seats {
  return {
    join: (pool, changed) => Promise.resolve(new Membership(options, pool, changed)),
  };
}

/** Joins again by itself, with a fresh consumer each time, until `leave`. */
class Membership implements SeatMembership {
  private readonly seats: HeldSeats;
  private readonly sessionTimeoutMs: number;
  private consumer: Consumer | null = null;
  private readonly ending = new Ending();
  private readonly done: Promise<void>;

  constructor(
    private readonly options: KafkaSeatsOptions,
    private readonly pool: SeatPool,
    changed: (held: ReadonlySet<number>) => void,
  ) {
    this.sessionTimeoutMs = options.sessionTimeoutMs ?? 6000;
    this.seats = new HeldSeats(this.sessionTimeoutMs - MARGIN_MS, changed);
    this.done = this.stay();
  }

  holds(seat: number): boolean {
    return this.seats.held().has(seat);
  }

  held(): ReadonlySet<number> {
    return this.seats.held();
  }

  async commit(positions: readonly CommittedPosition[]): Promise<void> {
    if (this.ending.isOver || this.consumer === null || !this.seats.isFresh())
      throw new Error('not a member of the group');
    // kafkajs would take it for a reading position of the empty topic and put "latest" in its place.
    if (positions.some(({ topic }) => topic === this.pool.topic)) throw new Error('the seats topic has no positions');
    await this.consumer.commitOffsets(
      positions.map(({ topic, partition, offset }) => ({ topic, partition, offset: String(offset) })),
    );
  }

  async committed(topics: readonly string[]): Promise<readonly CommittedPosition[]> {
    const answer = await withAdmin(this.options, COMMITTED_TIMEOUT_MS, (admin) =>
      admin.fetchOffsets({ groupId: this.pool.group, topics: [...topics] }),
    );
    return answer.flatMap(({ topic, partitions }) =>
      partitions
        .map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) }))
        .filter(({ offset }) => offset >= 0),
    );
  }

  async leave(): Promise<void> {
    this.ending.end();
    this.seats.close();
    await within(this.done, LEAVE_TIMEOUT_MS, 'leaving').catch(() => undefined);
  }

  private async stay(): Promise<void> {
    let backoffMs = BACKOFF_MS_MIN;
    while (!this.ending.isOver) {
      const since = performance.now();
      const reason = await this.member();
      if (this.ending.isOver) return;
      backoffMs = performance.now() - since > BACKOFF_MS_MAX ? BACKOFF_MS_MIN : backoffMs;
      this.options.logger.warn({ group: this.pool.group, reason, backoffMs }, 'seats: joining again');
      await this.ending.pause(backoffMs);
      backoffMs = Math.min(BACKOFF_MS_MAX, backoffMs * 2);
    }
  }

  /** One consumer's life; answers why it ended. */
  private async member(): Promise<string> {
    const consumer = this.build();
    let forget = nothing;
    let silence: NodeJS.Timeout | undefined;
    const ended = new Promise<string>((resolve) => {
      forget = this.ending.on(() => resolve('left'));
      const since = performance.now();
      silence = setInterval(() => {
        if (this.isGivenUp(since)) resolve('the group is not heard of any more');
      }, SILENCE_CHECK_MS);
    });
    const { pool, seats } = this;
    const joined = (): void => void (this.consumer = consumer);
    const { reason, gone } = await liveAsMember({ consumer, topic: pool.topic, seats, ended, joined });
    this.consumer = null;
    forget();
    clearInterval(silence);
    if (this.ending.isOver) await gone;
    return reason;
  }

  /**
   * kafkajs times its heartbeats by the wall clock: when that goes back it sends none for as long, and no event tells.
   * A member is given time for a rebalance, one that has not joined yet twice that.
   */
  private isGivenUp(since: number): boolean {
    const lifeMs = performance.now() - since;
    const hasJoined = this.seats.silentMs < lifeMs;
    const patienceMs = this.sessionTimeoutMs + REBALANCE_TIMEOUT_MS + REQUEST_TIMEOUT_MS;
    return hasJoined ? this.seats.silentMs > patienceMs : lifeMs > 2 * patienceMs;
  }

  private build(): Consumer {
    const { options, sessionTimeoutMs, seats } = this;
    const config = { ...kafkaConfig(options, options.brokers, REQUEST_TIMEOUT_MS), retry: FEW_RETRIES };
    return new kafkajs.Kafka(config).consumer({
      groupId: this.pool.group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: POLL_MS,
      metadataMaxAge: 30_000,
      allowAutoTopicCreation: false,
      partitionAssigners: [seatAssigner(() => seats.claim())],
      // One way back only, a fresh consumer: a restarted one keeps state of its former life.
      retry: { ...FEW_RETRIES, restartOnFailure: () => Promise.resolve(false) },
    });
  }
}
