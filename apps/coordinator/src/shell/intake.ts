import {
  deadLetter,
  decode,
  FORWARDED_HEADER,
  homeOf,
  journalKind,
  laneOfRequest,
  requestKind,
  verdictKind,
  type DecodeCode,
  type Request,
  type TopicNames,
} from '@holdfast/contracts';
import { cut, laneName, parentSchema, runIdSchema } from '@holdfast/events';
import type { Entry, Log, LogRecord, TailBatch } from '@holdfast/log';
import type { Clock, Ids, Timer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import { Lag, type Metrics } from '@holdfast/telemetry';
import { z } from 'zod';
import { INBOX_MAX } from '../lane/lane.machine.js';
import type { Arrival, Work } from '../lane/lane.types.js';
import { isPassedOn, madeAt, originOf } from './forwarded.js';
import { appendUntilAcknowledged, NeverAccepted } from './append-until.js';

export type IntakeParts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly logger: ServiceLogger;
  readonly owner: string;
  readonly lane: number;
  readonly lanes: number;
  readonly follow: (topic: string, partition: number, offset: number) => void;
  readonly unfollow: (topic: string, partition: number) => void;
  readonly deliver: (term: number, arrivals: readonly Arrival[]) => void;
  readonly waiting: () => number;
  /** Brings the tool catalogue up to date: what was offered before a run was submitted is known when it is decided. */
  readonly refreshTools: () => Promise<void>;
  readonly metrics?: Metrics | undefined;
};

/** Fields in which a request that cannot be read may still say whom to answer. */
type Unreadable = { readonly code: DecodeCode; readonly problem: string };
type Addressed = { readonly requestId: string; readonly runId: string };

/**
 * Brings the inputs of one lane to its machine, decoded and in order. What cannot be read is dead-lettered, what belongs
 * to another lane is passed on, both acknowledged before the position that passes them is delivered.
 */
export class Intake {
  /** How far history is behind each input. */
  readonly lags = new Map<string, Lag>();
  #term = 0;
  /** Next offset to deliver, by topic; absent while the topic is not followed. */
  #next = new Map<string, number>();
  #paused = new Set<string>();
  #queue: Promise<void> = Promise.resolve();
  #barriers: { readonly topic: string; readonly offset: number; readonly passed: () => void }[] = [];

  constructor(readonly parts: IntakeParts) {}

  start(term: number, positions: ReadonlyMap<string, number>): void {
    this.stop();
    this.#term = term;
    for (const [topic, offset] of positions) {
      this.#next.set(topic, offset);
      this.lags.set(topic, new Lag());
      this.parts.follow(topic, this.parts.lane, offset);
    }
  }

  stop(): void {
    for (const topic of this.#next.keys()) this.parts.unfollow(topic, this.parts.lane);
    this.#next.clear();
    this.lags.clear();
    this.#paused.clear();
    this.#term = 0;
    for (const { passed } of this.#barriers.splice(0)) passed();
  }

  /** Fulfilled once everything of a topic before `offset` was delivered, or the lane is no longer served. */
  async reached(topic: string, offset: number): Promise<void> {
    if ((this.#next.get(topic) ?? Infinity) >= offset) return;
    await new Promise<void>((passed) => void this.#barriers.push({ topic, offset, passed }));
  }

  batch({ topic, records, next, end }: TailBatch): void {
    const term = this.#term;
    if (!this.#next.has(topic)) return;
    this.lags.get(topic)?.read(next, end, records[0]?.at);
    if (records.length > 0 && this.parts.waiting() + records.length > INBOX_MAX) this.#pause(topic);
    // An end that is told takes its turn as well: it must not pass what is still being taken in.
    this.#queue = this.#queue.then(() => this.#take(term, topic, records, next));
  }

  /** Goes on reading what was paused because too much was waiting. */
  resume(): void {
    if (this.#paused.size === 0 || this.parts.waiting() > INBOX_MAX / 2) return;
    const paused = [...this.#paused];
    this.#paused.clear();
    void this.#followAgain(paused);
  }

  async #followAgain(topics: readonly string[]): Promise<void> {
    // What is being taken in comes first: the position after it is known only then.
    await this.#queue;
    for (const topic of topics) {
      const next = this.#next.get(topic);
      if (next !== undefined) this.parts.follow(topic, this.parts.lane, next);
    }
  }

  #pause(topic: string): void {
    if (this.#paused.has(topic)) return;
    this.#paused.add(topic);
    this.parts.unfollow(topic, this.parts.lane);
  }

  async #take(term: number, topic: string, records: readonly LogRecord[], next: number): Promise<void> {
    const arrivals: Arrival[] = [];
    for (const record of records) {
      if (term !== this.#term) return;
      const expected = this.#next.get(topic);
      if (expected === undefined || record.offset < expected) continue;
      const work = this.#decode(topic, record);
      let passed = work ?? (await this.#setAside(term, topic, record));
      if (passed.kind === 'request' && isPassedOn(record)) passed = { ...passed, at: await madeAt(this.parts, record) };
      arrivals.push({ topic, next: record.offset + 1, bytes: record.value?.length ?? 0, work: passed });
    }
    if (arrivals.some(({ work }) => work.kind === 'request' && work.request.type === 'SubmitRun'))
      await this.parts.refreshTools();
    if (term !== this.#term) return;
    if (arrivals.length > 0) {
      this.#reached(topic);
      this.parts.deliver(term, arrivals);
    }
    this.#pass(term, topic, next);
  }

  #reached(topic: string): void {
    const { names } = this.parts;
    if (topic === names.requests) failpoint('coordinator.request.read');
    else if (topic === names.journal) failpoint('coordinator.outcome.read');
    else failpoint('coordinator.verdict.read');
  }

  #pass(term: number, topic: string, next: number): void {
    if (term !== this.#term || !this.#next.has(topic)) return;
    if (this.#barriers.length === 0) return void this.#next.set(topic, Math.max(next, this.#next.get(topic) ?? 0));
    this.#next.set(topic, Math.max(next, this.#next.get(topic) ?? 0));
    const waiting = this.#barriers.splice(0);
    for (const barrier of waiting) {
      if (barrier.topic === topic && next >= barrier.offset) barrier.passed();
      else this.#barriers.push(barrier);
    }
  }

  /** The work of a readable record that belongs here; null when it has to be set aside first. */
  #decode(topic: string, record: LogRecord): Work | null {
    const { names, lane, lanes, ids } = this.parts;
    if (topic === names.journal) {
      const decoded = decode(journalKind, record.value, record.headers);
      return decoded.ok ? { kind: 'journal', word: decoded.message } : null;
    }
    if (topic === names.verdicts) {
      const decoded = decode(verdictKind, record.value, record.headers);
      return decoded.ok ? { kind: 'verdict', verdict: decoded.message } : null;
    }
    const decoded = decode(requestKind, record.value, record.headers);
    if (!decoded.ok || laneOfRequest(decoded.message, lanes) !== lane) return null;
    return { kind: 'request', request: decoded.message, at: record.at, runKey: ids.next().slice(0, 16) };
  }

  async #setAside(term: number, topic: string, record: LogRecord): Promise<Work> {
    const { names, lane, lanes } = this.parts;
    if (topic === names.requests) {
      const decoded = decode(requestKind, record.value, record.headers);
      if (decoded.ok) {
        const about = { requestId: decoded.message.data.requestId, runId: homeOf(decoded.message) };
        return this.#forward(term, record, about, laneOfRequest(decoded.message, lanes));
      }
      await this.#bury(term, topic, record, decoded);
      const addressed = addressee(record.value);
      if (addressed === null) return { kind: 'pass' };
      const refusal = { ...addressed, code: 'invalid_request', message: decoded.problem } as const;
      return { kind: 'refuse', ...refusal, ...submissionIn(record.value) };
    }
    const { value, headers } = record;
    const decoded = topic === names.journal ? decode(journalKind, value, headers) : decode(verdictKind, value, headers);
    if (!decoded.ok) await this.#bury(term, topic, record, decoded);
    this.parts.logger.warn({ topic, lane, offset: record.offset }, 'a record could not be read and was dead-lettered');
    return { kind: 'pass' };
  }

  /** Clients in other languages may hash differently: passed on once; still wrong there, it is refused. */
  async #forward(term: number, record: LogRecord, { requestId, runId }: Addressed, right: number): Promise<Work> {
    const { names, lane } = this.parts;
    if (isPassedOn(record)) {
      const message = `${runId} belongs to lane ${right}, but the request came to lane ${lane} twice`;
      return { kind: 'refuse', requestId, runId, code: 'wrong_lane', message };
    }
    const headers = { ...record.headers, [FORWARDED_HEADER]: originOf(names, lane, record) };
    const target = { topic: names.requests, partition: right };
    failpoint('coordinator.forward.before');
    const forwarded = await this.#append(term, target, { key: runId, value: record.value, headers });
    failpoint('coordinator.forward.after');
    if (forwarded) return { kind: 'pass' };
    const message = `the request came to lane ${lane} and is too large to be passed on to its lane ${right}`;
    return { kind: 'refuse', requestId, runId, code: 'too_large', message };
  }

  async #bury(term: number, topic: string, record: LogRecord, { code, problem: detail }: Unreadable): Promise<void> {
    const { names, lane, owner, clock } = this.parts;
    const letter = deadLetter(record, { topic, partition: lane }, { code, detail, by: owner, at: clock.now() });
    const target = { topic: names.deadLetters, partition: lane };
    failpoint('coordinator.dead-letter.before');
    const whole = await this.#append(term, target, letter);
    failpoint('coordinator.dead-letter.after');
    // Larger than even the dead letters take: what is left of it says where it stood.
    if (!whole) await this.#append(term, target, { ...letter, value: null });
    this.parts.metrics?.add('holdfast_dead_letters_total', { code });
    const about = { topic, lane, offset: record.offset, code, detail, whole };
    this.parts.logger.warn(about, 'a record cannot be read: it is in the dead letters');
  }

  /** False when the broker will never take it. */
  async #append(
    term: number,
    target: { readonly topic: string; readonly partition: number },
    entry: Entry,
  ): Promise<boolean> {
    try {
      await appendUntilAcknowledged(this.parts, target, [entry], () => term === this.#term);
      return true;
    } catch (error) {
      if (error instanceof NeverAccepted) return false;
      throw error;
    }
  }
}

/** What begins the run of another one, as far as it can be read: that one is told. */
const submissionSchema = z.object({
  type: z.literal('SubmitRun'),
  principal: z.string(),
  data: z.object({ requestId: z.string().max(200), runId: runIdSchema, parent: parentSchema }),
});

const submissionIn = (value: Uint8Array | null): { readonly submission?: Request } => {
  const read = submissionSchema.safeParse(parsed(value));
  return read.success ? { submission: read.data as unknown as Request } : {};
};

const parsed = (value: Uint8Array | null): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(value ?? new Uint8Array()));
  } catch {
    return undefined;
  }
};

const addressee = (value: Uint8Array | null): Addressed | null => {
  const json = parsed(value) as { data?: Partial<Addressed> & { lane?: unknown } } | null | undefined;
  const { requestId, lane, runId = typeof lane === 'number' ? laneName(lane) : undefined } = json?.data ?? {};
  if (typeof requestId !== 'string' || typeof runId !== 'string') return null;
  return { requestId: cut(requestId, 200), runId: cut(runId, 200) };
};
