import { claimKind, decode, encode, type Claim, type TopicNames } from '@holdfast/contracts';
import { LogDefect, type Entry, type Fetched, type Log, type LogRecord, type TailBatch } from '@holdfast/log';
import type { Clock, Timer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import type { WatchedAttempt } from '../lane/lane.types.js';
import type { FirstClaim } from '../run/env.js';
import type { Rules } from '../run/rules.js';
import { appendUntilAcknowledged } from '../shell/append-until.js';
import { batches } from '../shell/batches.js';
import { patiently } from '../shell/patiently.js';
import { ClaimsBook, type ReadClaim } from './claims-book.js';

export type ClaimNews = (attemptId: string, first: FirstClaim) => void;
type Partition = {
  readonly queue: string;
  readonly partition: number;
  readonly topic: string;
  book: ClaimsBook | null;
  readonly watched: Map<string, { readonly attempt: WatchedAttempt; readonly news: ClaimNews }>;
  closes: WatchedAttempt[];
  extending: boolean;
  /** Waiting until everything before an offset has been read. */
  readonly barriers: { readonly offset: number; readonly passed: () => void }[];
};

export type KeeperParts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: ServiceLogger;
  readonly owner: string;
  readonly rules: Pick<Rules, 'wholeRange'>;
  readonly follow: (topic: string, partition: number, offset: number) => void;
};

/** Reads every claims partition that matters once per process, closes attempts, and tells first claims as they become known. */
export class ClaimsKeeper {
  readonly #partitions = new Map<string, Partition>();

  constructor(readonly parts: KeeperParts) {}

  /** The known end of a claims partition; asks for it when it is not known yet. */
  end(queue: string, partition: number): number | null {
    return this.#open(queue, partition).book?.next ?? null;
  }

  watch(attempts: readonly WatchedAttempt[], news: ClaimNews): void {
    for (const attempt of attempts) {
      const partition = this.#open(attempt.queue, attempt.partition);
      partition.watched.set(attempt.attemptId, { attempt, news });
      this.#tellOrExtend(partition, attempt.attemptId);
    }
  }

  unwatch(attemptIds: readonly string[]): void {
    for (const partition of this.#partitions.values()) {
      if (partition.watched.size > 0) for (const id of attemptIds) partition.watched.delete(id);
    }
  }

  /** Appends `closed` for attempts, unless somebody is known to hold them. What is first is told as any first claim. */
  close(attempts: readonly WatchedAttempt[]): void {
    for (const attempt of attempts) {
      const partition = this.#open(attempt.queue, attempt.partition);
      if (partition.closes.length === 0) queueMicrotask(() => void this.#flushCloses(partition));
      partition.closes.push(attempt);
    }
  }

  /** Reads all partitions with watched attempts up to an own record appended now: nothing written before is missed. */
  async look(): Promise<void> {
    const watched = [...this.#partitions.values()].filter(({ watched }) => watched.size > 0);
    failpoint('coordinator.look.before');
    await Promise.all(watched.map((partition) => this.#lookAt(partition)));
    failpoint('coordinator.look.after');
  }

  /** Records of a claims partition, in order. Answers whether the topic is one. */
  batch({ topic, partition, records, next }: TailBatch): boolean {
    const known = [...this.#partitions.values()].find((one) => one.topic === topic && one.partition === partition);
    if (known === undefined) return false;
    const { book } = known;
    if (book === null) return true;
    const claims = records.flatMap((record) => this.#read(record));
    for (const id of book.append(claims, next)) this.#tellOrExtend(known, id);
    for (const barrier of known.barriers.splice(0)) {
      if (next > barrier.offset) barrier.passed();
      else known.barriers.push(barrier);
    }
    return true;
  }

  /** Claims are missing from what was followed: what is watched there can no longer be decided by the log. */
  gone(topic: string, partition: number): boolean {
    const known = [...this.#partitions.values()].find((one) => one.topic === topic && one.partition === partition);
    if (known === undefined) return false;
    known.book = null;
    for (const { attempt, news } of known.watched.values()) news(attempt.attemptId, { kind: 'unreadable' });
    void this.#start(known);
    return true;
  }

  forget(): void {
    const now = this.parts.clock.now();
    // While older claims are being read the range must not shrink beneath them.
    for (const { book, extending } of this.#partitions.values()) if (!extending) book?.forget(now);
  }

  #open(queue: string, partition: number): Partition {
    const key = `${queue}/${partition}`;
    const known = this.#partitions.get(key);
    if (known !== undefined) return known;
    const topic = this.parts.names.claims(queue);
    const opened: Partition = {
      queue,
      partition,
      topic,
      book: null,
      watched: new Map(),
      closes: [],
      extending: false,
      barriers: [],
    };
    this.#partitions.set(key, opened);
    void this.#start(opened);
    return opened;
  }

  async #start(partition: Partition): Promise<void> {
    const { end } = await patiently(this.parts, 'claims', () =>
      this.parts.log.bounds(partition.topic, partition.partition),
    );
    partition.book = new ClaimsBook(end, end);
    this.parts.follow(partition.topic, partition.partition, end);
    for (const id of partition.watched.keys()) this.#tellOrExtend(partition, id);
  }

  #tellOrExtend(partition: Partition, attemptId: string): void {
    const { book } = partition;
    const watched = partition.watched.get(attemptId);
    if (book === null || watched === undefined) return;
    const { wholeRange } = this.parts.rules;
    if (wholeRange && watched.attempt.claimsFrom < book.from) return void this.#extend(partition);
    this.#tell(partition, attemptId);
  }

  #tell(partition: Partition, attemptId: string): void {
    const watched = partition.watched.get(attemptId);
    if (watched === undefined || partition.book === null) return;
    const { claimsFrom } = watched.attempt;
    const from = this.parts.rules.wholeRange ? claimsFrom : Math.max(claimsFrom, partition.book.from);
    const first = partition.book.first(attemptId, from);
    if (first !== null) watched.news(attemptId, first);
  }

  /** Reads what lies before the known range, down to the lowest offset that a watched attempt needs. */
  async #extend(partition: Partition): Promise<void> {
    if (partition.extending) return;
    partition.extending = true;
    try {
      while (partition.book !== null) {
        const { book } = partition;
        const low = Math.min(...[...partition.watched.values()].map(({ attempt }) => attempt.claimsFrom));
        if (low >= book.from) break;
        const claims = await this.#readRange(partition, low, book.from);
        if (claims === null) this.#unreadable(partition);
        else book.prepend(claims, low);
      }
      for (const id of partition.watched.keys()) this.#tell(partition, id);
    } finally {
      partition.extending = false;
    }
  }

  #unreadable(partition: Partition): void {
    const from = partition.book?.from ?? Infinity;
    for (const [id, { attempt, news }] of partition.watched) {
      if (attempt.claimsFrom >= from) continue;
      partition.watched.delete(id);
      news(id, { kind: 'unreadable' });
    }
  }

  async #readRange({ topic, partition }: Partition, from: number, until: number): Promise<readonly ReadClaim[] | null> {
    const claims: ReadClaim[] = [];
    let next = from;
    while (next < until) {
      const at = next;
      const fetched = await this.#fetch(topic, partition, at);
      if (fetched === null || fetched.outcome === 'out_of_range') return null;
      claims.push(...fetched.records.filter(({ offset }) => offset < until).flatMap((record) => this.#read(record)));
      next = fetched.next;
    }
    return claims;
  }

  /** Null where the log has a hole: what lies there can no longer be read. */
  async #fetch(topic: string, partition: number, offset: number): Promise<Fetched | null> {
    try {
      return await patiently(this.parts, 'claims', () =>
        this.parts.log.read(topic, partition, offset, { waitMs: 500 }),
      );
    } catch (error) {
      if (!(error instanceof LogDefect)) throw error;
      this.parts.logger.error({ topic, partition, offset, detail: error.message }, 'claims are missing from the log');
      return null;
    }
  }

  async #flushCloses(partition: Partition): Promise<void> {
    const wanted = partition.closes.splice(0);
    failpoint('coordinator.close.before');
    const entries = wanted.map(({ attemptId, startBy }) =>
      this.#entry(attemptId, { type: 'AttemptClosed', data: { attemptId, closedBy: this.parts.owner, startBy } }),
    );
    const still = () => wanted.some(({ attemptId }) => partition.watched.has(attemptId));
    let done = 0;
    for (const batch of batches(entries)) {
      const offset = await appendUntilAcknowledged(this.parts, partition, batch, still);
      if (offset !== null) this.#checkPlace(partition, wanted.slice(done, done + batch.length), offset);
      done += batch.length;
    }
    failpoint('coordinator.close.after');
  }

  /** All claims for an attempt lie at or after its `claimsFrom`; an own one below it shows that acknowledged records are gone. */
  #checkPlace(partition: Partition, wanted: readonly WatchedAttempt[], offset: number): void {
    for (const [index, { attemptId, claimsFrom }] of wanted.entries()) {
      if (offset + index >= claimsFrom) continue;
      const { topic } = partition;
      this.parts.logger.error(
        { topic, partition: partition.partition, offset: offset + index, claimsFrom },
        'claims are gone from the log',
      );
      partition.watched.get(attemptId)?.news(attemptId, { kind: 'unreadable' });
      partition.watched.delete(attemptId);
    }
  }

  async #lookAt(partition: Partition): Promise<void> {
    const entry = this.#entry(this.parts.owner, { type: 'PartitionLooked', data: { lookedBy: this.parts.owner } });
    const offset = await appendUntilAcknowledged(this.parts, partition, [entry], () => true);
    if (offset === null || (partition.book?.next ?? 0) > offset) return;
    await new Promise<void>((passed) => void partition.barriers.push({ offset, passed }));
  }

  #entry(key: string, claim: Pick<Claim, 'type' | 'data'>): Entry {
    const time = new Date(this.parts.clock.now()).toISOString();
    const id = `${claim.type}/${key}`;
    return {
      key,
      value: encode({ ...claim, version: 1, id, source: 'holdfast/coordinator', subject: null, time, principal: null }),
    };
  }

  #read(record: LogRecord): readonly ReadClaim[] {
    const decoded = decode(claimKind, record.value);
    if (decoded.ok) return [{ offset: record.offset, claim: decoded.message }];
    const { code, problem } = decoded;
    this.parts.logger.error(
      { offset: record.offset, code, problem },
      'a record among claims cannot be read: nothing behind it is judged by the log',
    );
    return [{ offset: record.offset, claim: null }];
  }
}
