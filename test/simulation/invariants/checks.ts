import {
  claimKind,
  decode,
  heartbeatKind,
  journalKind,
  replyKind,
  requestKind,
  verdictKind,
  type Request,
  type TopicNames,
} from '@holdfast/contracts';
import {
  attemptId,
  hasEffect,
  laneOf,
  openStep,
  type HistoryRecord,
  type RunEvent,
  type RunState,
} from '@holdfast/events';
import type { LogRecord, MemoryCluster } from '@holdfast/log';
import { LaneReader, sha256 } from '@holdfast/sdk';
import type { Coordinator } from '../../../apps/coordinator/src/coordinator.js';
import type { SimProcess } from '../engine/process.js';
import { requestsOf, type Scenario } from '../scenario/scenario.js';
import type { Entry, Office, Sent } from '../world/office.js';
import type { Trace } from '../world/trace.js';
import { atEnd, lanesAtRest, noLaneStops, type Success } from './at-end.js';
import { CallChecks } from './calls.js';
import { BoundChecks } from './bounds.js';
import { inCalm, slotsSuffice, whereOnlyWorkersDie } from './calm.js';
import { count, follow } from './partitions.js';
import { DoubtChecks } from './doubts.js';
import { History } from './history.js';
import type { Invariant, Violated } from './invariant.js';
import { QuestionChecks } from './questions.js';
import { VerdictChecks } from './verdicts.js';
import { wordsOf } from './words.js';

export type Violation = { readonly invariant: Invariant; readonly detail: string };

export type ChecksParts = {
  readonly cluster: MemoryCluster;
  readonly names: TopicNames;
  readonly scenario: Scenario;
  readonly trace: Trace;
  readonly office: Office;
  readonly sessionsOf: (process: SimProcess) => ReadonlySet<string>;
  /** Virtual ms. */
  readonly now: () => number;
  /** Until when a coordinator has been disturbed, virtual ms. */
  readonly disturbedUntil: () => number;
};

/** Sees everything: the log as it is, and what happens outside. Holds both against the invariants. */
export class Checks {
  violation: Violation | null = null;
  /** The one invariant that is left to be asked for; null: all. */
  private asked: Invariant | null = null;
  onFact: (record: HistoryRecord) => void = () => undefined;
  readonly calls: CallChecks;
  readonly doubts: DoubtChecks;
  readonly verdicts: VerdictChecks;
  readonly history: History;
  readonly questions: QuestionChecks;
  readonly bounds: BoundChecks;
  readonly lanes: readonly LaneReader[];
  readonly successes: Success[] = [];
  readonly journalAtEnd = new Map<string, number>();
  /** The kinds of requests that were made, by clients and by lanes. */
  readonly requestTypes = new Set<Request['type']>();
  /** The first answer to each request. */
  private readonly answered = new Map<string, string>();

  constructor(readonly parts: ChecksParts) {
    const { cluster, names, scenario, office } = parts;
    const violated: Violated = (invariant, detail) => this.violated(invariant, detail);
    const { sessionsOf, now, disturbedUntil } = parts;
    this.history = new History(office, violated);
    this.questions = new QuestionChecks(violated);
    this.bounds = new BoundChecks({
      scenario,
      now,
      violated,
      disturbedUntil,
      runOf: (runId) => this.runOf(runId),
    });
    const first = (id: string) => this.calls.firsts.get(id);
    this.doubts = new DoubtChecks({ scenario, now, violated, first, disturbedUntil });
    this.verdicts = new VerdictChecks(now, violated, scenario);
    const firstIssueAt = (runId: string, stepId: string): number => this.firstIssueAt(runId, stepId);
    const { keyTtlMs, concurrency } = scenario;
    const isCalm = this.isCalm && scenario.losses.length === 0;
    const heardAt = (session: string): number => this.doubts.heardAt(session);
    this.calls = new CallChecks({
      history: this.history,
      sessionsOf,
      now,
      heardAt,
      keyTtlMs,
      firstIssueAt,
      concurrency,
      isCalm,
      violated,
    });
    follow(cluster, names.heartbeats, 0, (record) => this.beaten(record));
    this.lanes = count(scenario.lanes).map((lane) => new LaneReader({ topic: names.history, lane }, sha256));
    for (const lane of count(scenario.lanes)) {
      follow(cluster, names.requests, lane, (record) => this.asks(record));
      follow(cluster, names.history, lane, (record) => this.written(lane, record));
      follow(cluster, names.journal, lane, (record) => this.said(lane, record));
      follow(cluster, names.replies, lane, (record) => this.replied(record));
      follow(cluster, names.verdicts, lane, (record) => this.judged(lane, record));
    }
    for (const partition of count(scenario.partitions)) {
      follow(cluster, names.claims('default'), partition, (record) => this.claimed(record));
    }
  }

  runOf(runId: string): RunState | undefined {
    return this.lanes[laneOf(runId, this.parts.scenario.lanes)]?.state.runs.get(runId)?.run;
  }

  private firstIssueAt(runId: string, stepId: string): number {
    const run = this.runOf(runId);
    if (run === undefined || run.status === 'ended') return Infinity;
    return openStep(run, stepId)?.firstIssueAt ?? Infinity;
  }

  runKeyOf(runId: string): string {
    return this.history.runKeys.get(runId) ?? '';
  }

  isAsked(runId: string, escalation: number): boolean {
    const run = this.runOf(runId);
    return run !== undefined && run.status !== 'ended' && run.escalations[escalation] !== undefined;
  }

  private get isCalm(): boolean {
    const { faults, trouble, slowMs, lacks, runs, bulks } = this.parts.scenario;
    const isAsked = runs.some(({ asks }) => asks.length > 0) || bulks.length > 0;
    return faults.length === 0 && trouble === 0 && slowMs <= 50 && !isAsked && !('executor-2' in lacks);
  }

  private get onlyWorkersDie(): boolean {
    const { faults, losses, trouble } = this.parts.scenario;
    const areKills = faults.every(({ process, what }) => process.startsWith('worker') && what === 'kill');
    return areKills && losses.length === 0 && trouble === 0;
  }

  /** Requests that were made, or are still to be made, and have no answer. */
  unanswered(): readonly string[] {
    return requestsOf(this.parts.scenario).filter((requestId) => !this.answered.has(requestId));
  }

  readonly isRefused = (runId: string): boolean => this.answered.get(`submit ${runId}`) === 'refused';

  /** No effect before its claim is durable and first. */
  sent(sent: Sent): void {
    const { runId, stepId, attempt, policy, process } = sent;
    const id = attemptId({ runId, stepId, attempt });
    this.parts.trace.note(`${process.id} sends the effect of ${id}`);
    if (policy !== 'pure') this.calls.sends(sent);
  }

  /** An effect whose tool may not repeat it is there once. */
  applied(entry: Entry, times: number): void {
    const { runId, stepId, attempt, policy } = entry;
    this.parts.trace.note(`the effect of ${runId}/${stepId}/${attempt} is there (${times})`);
    if (times > 1 && policy !== 'repeatable') {
      this.violated('noEffectTwice', `${runId}/${stepId} (${policy}) was applied ${times} times`);
    }
    if (hasEffect(policy)) this.bounds.applied(runId);
    if (policy !== 'repeatable') this.history.applied({ runId, stepId, attempt });
  }

  /** The log has broken its promise: only what rests on nothing but the claims that are left can still be asked for. */
  claimsLost(): void {
    this.calls.lose();
    this.asked = 'claimsAreKept';
  }

  gaveUp(process: string, error: unknown): void {
    this.violated('nobodyGivesUp', `${process}: ${error instanceof Error ? error.message : String(error)}`);
  }

  /** Whether every lane is led by somebody who has nothing under way. */
  isAtRest(coordinators: Iterable<Coordinator>): boolean {
    return lanesAtRest(this, [...coordinators]).size === this.lanes.length;
  }

  /** A coordinator is about to be gone. */
  leaves(coordinator: Coordinator): void {
    noLaneStops(coordinator, (invariant, detail) => this.violated(invariant, detail));
  }

  /** `more` is asked at the end as well. */
  end(coordinators: Iterable<Coordinator>, more: (violated: Violated) => void): void {
    if (this.violation !== null) return;
    const violated: Violated = (invariant, detail) => this.violated(invariant, detail);
    atEnd(this, [...coordinators], violated);
    more(violated);
  }

  private violated(invariant: Invariant, detail: string): void {
    if (this.violation !== null || (this.asked !== null && this.asked !== invariant)) return;
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
      this.questions.add(taken.record);
      this.bounds.add(taken.record);
      if (taken.record.event.type === 'RunEnded') {
        const read = (this.lanes[lane] as LaneReader).state.positions[this.parts.names.journal] ?? 0;
        this.journalAtEnd.set(taken.record.subject ?? '', read);
      }
      this.heard(taken.record.subject ?? '', taken.record.event as RunEvent);
      const { positions } = (this.lanes[lane] as LaneReader).state;
      this.verdicts.taken(lane, positions[this.parts.names.verdicts] ?? 0);
      this.onFact(taken.record);
    } catch (error) {
      this.violated('historyIsSound', (error as Error).message);
    }
  }

  private asks(record: LogRecord): void {
    const decoded = decode(requestKind, record.value);
    if (!decoded.ok) return;
    this.requestTypes.add(decoded.message.type);
    this.questions.written(decoded.message, record.at);
  }

  private replied({ value }: LogRecord): void {
    const decoded = decode(replyKind, value);
    if (!decoded.ok) return;
    const { requestId, outcome } = decoded.message.data;
    if (!this.answered.has(requestId)) this.answered.set(requestId, outcome);
  }

  private beaten({ value }: LogRecord): void {
    const decoded = decode(heartbeatKind, value);
    if (!decoded.ok) return;
    const { type, data } = decoded.message;
    if (type === 'SessionEnded') this.doubts.ended(data.session);
    if (type === 'ExecutorBeat') for (const { session } of data.sessions) this.doubts.beat(session);
  }

  private said(lane: number, record: LogRecord): void {
    this.parts.trace.note(wordsOf(record));
    const decoded = decode(journalKind, record.value);
    if (!decoded.ok) return;
    const { type, data } = decoded.message;
    if (type === 'AttemptStarted' || type === 'AttemptProgressed' || type === 'AttemptRefused') return;
    this.doubts.said(data.attemptId, data.session);
    if (type === 'AttemptSucceeded') this.successes.push({ ...data, lane, offset: record.offset });
  }

  private judged(lane: number, record: LogRecord): void {
    this.parts.trace.note(wordsOf(record));
    const decoded = decode(verdictKind, record.value);
    if (decoded.ok) this.verdicts.written(decoded.message, lane, record.offset);
  }

  private heard(runId: string, event: RunEvent): void {
    const violated: Violated = (invariant, detail) => this.violated(invariant, detail);
    if (event.type === 'DoubtOpened') this.doubts.opened(runId, event.data);
    if (event.type === 'DoubtSettled') this.verdicts.settled(runId, event.data.doubtSeq);
    if (this.isCalm && slotsSuffice(this.parts.scenario)) inCalm(runId, event, violated);
    if (this.onlyWorkersDie) whereOnlyWorkersDie(runId, event, violated);
  }

  private claimed(record: LogRecord): void {
    const decoded = decode(claimKind, record.value);
    if (!decoded.ok || decoded.message.type === 'PartitionLooked') return;
    const { type, data } = decoded.message;
    const { session, deadline } = type === 'AttemptClaimed' ? data : { session: null, deadline: 0 };
    const isFirst = this.calls.claimed(data.attemptId, {
      session,
      deadline,
      at: this.parts.now(),
      offset: record.offset,
    });
    if (isFirst) this.bounds.claimed(data.attemptId, session);
    this.parts.trace.note(
      `claims ${record.offset}: ${type} ${data.attemptId} ${session ?? ''}${isFirst ? ' (first)' : ''}`,
    );
  }
}
