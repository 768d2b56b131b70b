import { claimKind, decode, replyKind, type TopicNames } from '@holdfast/contracts';
import { attemptId, laneOf, type HistoryRecord, type RunState } from '@holdfast/events';
import type { LogRecord, MemoryCluster } from '@holdfast/log';
import { LaneReader, sha256 } from '@holdfast/sdk';
import type { Coordinator } from '../../../apps/coordinator/src/coordinator.js';
import type { SimProcess } from '../engine/process.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Entry, Office, Sent } from '../world/office.js';
import type { Trace } from '../world/trace.js';
import { atEnd } from './at-end.js';
import { History } from './history.js';
import { wordsOf } from './words.js';

export type Violation = { readonly invariant: string; readonly detail: string };
export type FirstClaim = { readonly session: string | null };

export type ChecksParts = {
  readonly cluster: MemoryCluster;
  readonly names: TopicNames;
  readonly scenario: Scenario;
  readonly trace: Trace;
  readonly office: Office;
  readonly sessionsOf: (process: SimProcess) => ReadonlySet<string>;
};

/** Sees everything: the log as it is, and what happens outside. Holds both against the invariants. */
export class Checks {
  violation: Violation | null = null;
  onFact: (record: HistoryRecord) => void = () => undefined;
  readonly firsts = new Map<string, FirstClaim>();
  readonly history: History;
  readonly lanes: readonly LaneReader[];
  private readonly answered = new Set<string>();

  constructor(readonly parts: ChecksParts) {
    const { cluster, names, scenario, office } = parts;
    this.history = new History(office, (invariant, detail) => this.violated(invariant, detail));
    this.lanes = count(scenario.lanes).map((lane) => new LaneReader({ topic: names.history, lane }, sha256));
    for (const lane of count(scenario.lanes)) {
      follow(cluster, names.history, lane, (record) => this.written(lane, record));
      follow(cluster, names.journal, lane, (record) => parts.trace.note(wordsOf(record)));
      follow(cluster, names.replies, lane, (record) => this.replied(record));
      follow(cluster, names.verdicts, lane, (record) => parts.trace.note(wordsOf(record)));
    }
    for (const partition of count(scenario.partitions)) {
      follow(cluster, names.claims('default'), partition, (record) => this.claimed(record));
    }
  }

  runOf(runId: string): RunState | undefined {
    return this.lanes[laneOf(runId, this.parts.scenario.lanes)]?.state.runs.get(runId)?.run;
  }

  runKeyOf(runId: string): string {
    return this.history.runKeys.get(runId) ?? '';
  }

  isAsked(runId: string, escalation: number): boolean {
    const run = this.runOf(runId);
    return run !== undefined && run.status !== 'ended' && run.escalations[escalation] !== undefined;
  }

  /** Requests that were made, or are still to be made, and have no answer. */
  unanswered(): readonly string[] {
    return this.parts.scenario.runs
      .flatMap(({ runId, cancelAt }) => [`submit ${runId}`, ...(cancelAt === null ? [] : [`cancel ${runId}`])])
      .filter((requestId) => !this.answered.has(requestId));
  }

  /** No effect before its claim is durable and first. */
  sent({ runId, stepId, attempt, policy, process }: Sent): void {
    const id = attemptId({ runId, stepId, attempt });
    this.parts.trace.note(`${process.id} sends the effect of ${id}`);
    if (policy === 'pure') return;
    const first = this.firsts.get(id);
    if (first === undefined) return this.violated('claimBeforeEffect', `${id} acts and nobody has claimed it`);
    if (first.session === null) return this.violated('closedNeverActs', `${id} acts although it is closed`);
    if (!this.parts.sessionsOf(process).has(first.session)) {
      this.violated('onlyHolderActs', `${process.id} acts for ${id}, which ${first.session} holds`);
    }
    this.history.acts({ runId, stepId, attempt });
  }

  /** An effect whose tool may not repeat it is there once. */
  applied(entry: Entry, times: number): void {
    const { runId, stepId, attempt, policy } = entry;
    this.parts.trace.note(`the effect of ${runId}/${stepId}/${attempt} is there (${times})`);
    if (times > 1 && policy !== 'repeatable') {
      this.violated('noEffectTwice', `${runId}/${stepId} (${policy}) was applied ${times} times`);
    }
    if (policy !== 'repeatable') this.history.applied({ runId, stepId, attempt });
  }

  gaveUp(process: string, error: unknown): void {
    this.violated('nobodyGivesUp', `${process}: ${error instanceof Error ? error.message : String(error)}`);
  }

  end(coordinators: Iterable<Coordinator>): void {
    if (this.violation !== null) return;
    atEnd(this, coordinators, (invariant, detail) => this.violated(invariant, detail));
  }

  private violated(invariant: string, detail: string): void {
    if (this.violation !== null) return;
    this.violation = { invariant, detail };
    this.parts.trace.note(`VIOLATED ${invariant}: ${detail}`);
  }

  private written(lane: number, record: LogRecord): void {
    const { trace } = this.parts;
    if (this.violation !== null) return;
    try {
      const taken = (this.lanes[lane] as LaneReader).take(record);
      if (taken.folded !== 'valid') return trace.note(`lane ${lane}: ${taken.folded} ${taken.record.event.type}`);
      this.history.add(taken.record, (text) => trace.note(`lane ${lane}: ${text}`));
      this.onFact(taken.record);
    } catch (error) {
      this.violated('historyIsSound', (error as Error).message);
    }
  }

  private replied({ value }: LogRecord): void {
    const decoded = decode(replyKind, value);
    if (decoded.ok) this.answered.add(decoded.message.data.requestId);
  }

  private claimed(record: LogRecord): void {
    const decoded = decode(claimKind, record.value);
    if (!decoded.ok || decoded.message.type === 'PartitionLooked') return;
    const { type, data } = decoded.message;
    const session = type === 'AttemptClaimed' ? data.session : null;
    const isFirst = !this.firsts.has(data.attemptId);
    if (isFirst) this.firsts.set(data.attemptId, { session });
    this.parts.trace.note(`claims ${record.offset}: ${type} ${data.attemptId} ${session ?? ''}${isFirst ? ' (first)' : ''}`);
  }
}

export const count = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index);

/** Calls back for every record of a partition, at the moment it is appended. */
const follow = (cluster: MemoryCluster, topic: string, at: number, take: (record: LogRecord) => void): void => {
  const partition = cluster.partition(topic, at);
  let next = partition.bounds().end;
  partition.listen(() => {
    const { end } = partition.bounds();
    const fresh = partition.slice(next, end, Infinity);
    next = end;
    for (const record of fresh) take(record);
  });
};
