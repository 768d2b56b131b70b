import { answerType, detailOf } from './internals.js';
import { within } from './deadline.js';
import { Ending } from '../ending.js';
import type { KafkaOptions } from './options.js';
import { Session, UnknownPartition } from './session.js';
import type { Leader } from './session.js';

/** Between two new sessions: an election takes seconds, and each caller's failure asks for one. */
const SPACING_MS = 100;
const BACKOFF_MS_MAX = 1000;
/** Longer than a poll of a healthy broker; a frozen one is not waited for. */
const CLOSE_MS = 400;

/**
 * Broker answers after which the metadata in hand is stale. Others say nothing about the session. An offset that was read
 * and is out of range may be the answer of a broker that led once and has not heard yet that another does.
 */
const STALE: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'BROKER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'KAFKA_STORAGE_ERROR',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'OFFSET_OUT_OF_RANGE',
]);

/**
 * Connections to a cluster that mend themselves: on the first failure of a broker a new session is built from the next
 * seed, while partitions led by others go on over the old one. Callers set their own deadlines around `leader`.
 */
export class BrokerClient {
  private current: Session | null = null;
  private replacing: Promise<Session> | null = null;
  private replacedAt = -Infinity;
  private next = 0;
  private avoid: string | null = null;
  private readonly ending = new Ending();

  constructor(
    private readonly options: KafkaOptions,
    private readonly requestTimeoutMs: number,
  ) {}

  /** The connected leader of a partition. Rejects with `UnknownPartition`, or with whatever broke on the way. */
  async leader(topic: string, partition: number): Promise<Leader> {
    for (;;) {
      const session = this.current ?? (await this.replace());
      if (!session.suspects.has('*')) {
        const node = session.known(topic, partition) ?? (await this.ask(session, topic, partition));
        if (!session.suspects.has(node)) return { session, node, broker: await this.connected(session, node) };
      }
      await this.replacing;
    }
  }

  /** The node that leads a partition as far as is known at once, without asking; `null` also while it is suspect. */
  route(topic: string, partition: number): string | null {
    const session = this.current;
    if (session === null || session.suspects.has('*')) return null;
    const node = session.known(topic, partition);
    return node === null || session.suspects.has(node) ? null : node;
  }

  /** Reports a failure of a request to `node`. Broker answers that say nothing about the session are ignored. */
  blame({ session, node }: Pick<Leader, 'session' | 'node'>, error: unknown): void {
    const type = answerType(error);
    if (session !== this.current || this.ending.isOver || (type !== null && !STALE.has(type))) return;
    if (session.suspects.has(node)) return;
    session.suspects.add(node);
    this.avoid = session.address(node) ?? this.avoid;
    this.options.logger.debug({ node, reason: detailOf(error) }, 'log connection is replaced');
    this.replace().catch(() => undefined);
  }

  /** Ends the connections behind what is under way, and waits for that a short time only. */
  async close(): Promise<void> {
    this.ending.end();
    const disposed = this.current?.dispose() ?? Promise.resolve();
    this.current = null;
    await within(disposed, CLOSE_MS, 'closing').catch(() => undefined);
  }

  private async ask(session: Session, topic: string, partition: number): Promise<string> {
    try {
      return await session.leader(topic, partition);
    } catch (error) {
      if (!(error instanceof UnknownPartition)) this.blame({ session, node: '*' }, error);
      throw error;
    }
  }

  private async connected(session: Session, node: string): Promise<Leader['broker']> {
    try {
      return await session.broker(node);
    } catch (error) {
      this.blame({ session, node }, error);
      throw error;
    }
  }

  private replace(): Promise<Session> {
    this.replacing ??= this.open().finally(() => {
      this.replacing = null;
    });
    return this.replacing;
  }

  private async open(): Promise<Session> {
    await this.ending.pause(this.replacedAt + SPACING_MS - performance.now());
    for (let waitMs = SPACING_MS; ; waitMs = Math.min(BACKOFF_MS_MAX, waitMs * 2)) {
      const session = await this.tryAll();
      if (session !== null) {
        const old = this.current;
        this.current = session;
        this.replacedAt = performance.now();
        void old?.dispose();
        return session;
      }
      await this.ending.pause(waitMs);
    }
  }

  private async tryAll(): Promise<Session | null> {
    for (const seed of this.order()) {
      if (this.ending.isOver) throw new Error('the log is closed');
      const session = new Session(this.options, seed, this.requestTimeoutMs);
      try {
        await session.connect();
        if (!this.ending.isOver) return session;
      } catch (error) {
        this.options.logger.warn({ broker: seed, reason: detailOf(error) }, 'broker cannot be reached');
      }
      void session.dispose();
    }
    return null;
  }

  /** All seeds, from the one after the last on; the one that failed comes last. */
  private order(): readonly string[] {
    const { brokers } = this.options;
    const from = this.next++ % brokers.length;
    const turned = [...brokers.slice(from), ...brokers.slice(0, from)];
    return turned.sort((a, b) => Number(a === this.avoid) - Number(b === this.avoid));
  }
}
