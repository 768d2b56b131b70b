import { abortKind, decode, deadLetter, type TopicNames } from '@holdfast/contracts';
import type { Bounds, Log, Tail, TailBatch, TailHandler } from '@holdfast/log';
import type { Logger, Timer, ToolSet } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import { Lag, type Metrics } from '@holdfast/telemetry';
import type { News, Output } from '../session/session.messages.js';
import { readClaim, readEarlierClaims } from './read-claims.js';
import { readCommands, type UnreadCommand } from './read-orders.js';

export type ReadingPorts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly lanes: number;
  readonly tools: ToolSet;
  readonly timer: Timer;
  readonly logger: Logger;
  readonly now: () => number;
  readonly feed: (news: News) => void;
  /** The end of what is known of a claims partition: nothing below needs to be read again. */
  readonly claimsKnownTo: (where: Where) => number;
  readonly metrics?: Metrics;
};

type Where = { readonly queue: string; readonly partition: number };
type Topic = { readonly kind: 'commands' | 'claims' | 'aborts'; readonly queue: string };
type Follow = Extract<Output, { type: 'follow-commands' | 'follow-claims' }>;
type Unfollow = Extract<Output, { type: 'unfollow-commands' | 'unfollow-claims' }>;

const AGAIN_MS = 500;
const CLAIMS_PACE_MS = 5;
/** A position above the end may only be news to whoever answered; after so many answers it is more than that. */
const BEYOND_END_MAX = 20;

/** Follows commands, claims and aborts, and hands on what they say. */
export class Reading implements TailHandler {
  private readonly topics = new Map<string, Topic>();
  private readonly beyondEnd = new Map<string, number>();
  private readonly lags = new Map<string, Lag>();
  private readonly tail: Tail;
  private readonly claimsTail: Tail;

  constructor(private readonly ports: ReadingPorts) {
    this.tail = ports.log.tail(this);
    // Own claims are known by their answers; only what others wrote in between is waited for.
    this.claimsTail = ports.log.tail(this, { paceMs: CLAIMS_PACE_MS });
    this.topics.set(ports.names.aborts, { kind: 'aborts', queue: '' });
    this.tail.follow(ports.names.aborts, 0, 0);
  }

  follow({ type, queue, partition, from }: Follow): void {
    const kind = type === 'follow-commands' ? 'commands' : 'claims';
    const topic = this.ports.names[kind](queue);
    this.topics.set(topic, { kind, queue });
    if (kind === 'commands') this.lags.set(`${topic} ${partition}`, new Lag());
    this.tailOf(kind).follow(topic, partition, from);
  }

  unfollow({ type, queue, partition }: Unfollow): void {
    const kind = type === 'unfollow-commands' ? 'commands' : 'claims';
    this.tailOf(kind).unfollow(this.ports.names[kind](queue), partition);
  }

  /** How many commands are not settled, where everything before `done` is; null where none are followed. */
  lagOf({ queue, partition }: Where, done: number): ReturnType<Lag['at']> | null {
    return this.lags.get(`${this.ports.names.commands(queue)} ${partition}`)?.at(done, this.ports.now()) ?? null;
  }

  async earlier({ queue, partition, from, to }: Where & { from: number; to: number }): Promise<void> {
    const { log, timer, names, feed } = this.ports;
    const found = await readEarlierClaims(log, timer, { topic: names.claims(queue), partition, from, to });
    const where = { queue, partition };
    if (found.outcome === 'read') {
      feed({ type: 'earlier-claims-read', ...where, from, claims: found.claims, next: to });
    } else if (found.outcome === 'lost') feed({ type: 'claims-lost', ...where, start: found.start });
    else feed({ type: 'defect-found', ...where, detail: found.detail });
  }

  batch({ topic, partition, records, next, end }: TailBatch): void {
    const known = this.topics.get(topic);
    this.lags.get(`${topic} ${partition}`)?.read(next, end, records[0]?.at);
    if (records.length === 0 || known === undefined) return;
    this.beyondEnd.clear();
    const where = { queue: known.queue, partition };
    if (known.kind === 'aborts') return this.aborts(records);
    if (known.kind === 'commands') {
      failpoint('executor.command.read');
      const commands = readCommands(where, records, this.ports.tools, (unread) => void this.bury(where, unread));
      this.ports.metrics?.add('holdfast_commands_total', { queue: where.queue }, commands.length);
      return this.ports.feed({ type: 'commands-read', ...where, commands, next });
    }
    // Own claims come back here; they were taken in when their append was answered.
    const from = this.ports.claimsKnownTo(where);
    const fresh = records.filter(({ offset }) => offset >= from);
    if (fresh.length === 0) return;
    this.ports.feed({
      type: 'claims-read',
      ...where,
      from: fresh[0]?.offset ?? next,
      claims: fresh.map(readClaim),
      next,
    });
  }

  outOfRange(topic: string, partition: number, offset: number, bounds: Bounds): void {
    const known = this.topics.get(topic);
    if (known === undefined) return;
    const where = { queue: known.queue, partition };
    if (known.kind === 'aborts') return this.tail.follow(topic, partition, bounds.start);
    if (offset > bounds.end) return this.askAgain(topic, where, { offset, end: bounds.end });
    this.ports.logger.warn(
      { topic, partition, offset, start: bounds.start },
      'what was to be read is not kept any more',
    );
    if (known.kind === 'claims') return this.ports.feed({ type: 'claims-lost', ...where, start: bounds.start });
    this.ports.feed({ type: 'seat-lost', ...where });
    this.ports.feed({ type: 'seat-gained', ...where, from: bounds.start });
  }

  trouble(detail: string): void {
    this.ports.logger.debug({ detail }, 'reading has trouble');
  }

  defect(topic: string, partition: number, detail: string): void {
    const queue = this.topics.get(topic)?.queue ?? '';
    if (queue !== '') this.ports.feed({ type: 'defect-found', queue, partition, detail: `${topic}: ${detail}` });
  }

  async close(): Promise<void> {
    await Promise.all([this.tail.close(), this.claimsTail.close()]);
  }

  private tailOf(kind: Topic['kind']): Tail {
    return kind === 'claims' ? this.claimsTail : this.tail;
  }

  private askAgain(topic: string, where: Where, { offset, end }: { offset: number; end: number }): void {
    const key = `${topic} ${where.partition}`;
    const times = (this.beyondEnd.get(key) ?? 0) + 1;
    this.beyondEnd.set(key, times);
    if (times > BEYOND_END_MAX) {
      const detail = `${topic} ends at ${end}, below ${offset} which was there before: records are gone`;
      return this.ports.feed({ type: 'defect-found', ...where, detail });
    }
    const kind = this.topics.get(topic)?.kind ?? 'commands';
    this.ports.timer.after(AGAIN_MS, () => this.tailOf(kind).follow(topic, where.partition, offset));
  }

  private aborts(records: TailBatch['records']): void {
    for (const { value, headers } of records) {
      const decoded = decode(abortKind, value, headers);
      if (!decoded.ok) {
        this.ports.logger.warn({ problem: decoded.problem }, 'an abort cannot be read');
        continue;
      }
      const { runId, mode } = decoded.message.data;
      this.ports.feed({ type: 'abort-read', runId, mode });
    }
  }

  private async bury(where: Where, { record, code, problem }: UnreadCommand): Promise<void> {
    const { log, names, lanes, timer, logger } = this.ports;
    const from = { topic: names.commands(where.queue), partition: where.partition };
    logger.error({ ...from, offset: record.offset, code, problem }, 'a command cannot be read');
    const letter = deadLetter(record, from, { code, detail: problem, by: 'executor', at: this.ports.now() });
    const answer = await log.append(names.deadLetters, where.partition % lanes, [letter]);
    if (answer.outcome === 'appended') {
      this.ports.metrics?.add('holdfast_dead_letters_total', { code });
      this.ports.feed({ type: 'dead-letter-written', ...where, offset: record.offset });
    } else timer.after(AGAIN_MS, () => void this.bury(where, { record, code, problem }));
  }
}
