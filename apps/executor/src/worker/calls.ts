import type { Json } from '@holdfast/programs';
import { callTool, type GuardReason, type Logger, type ToolSet } from '@holdfast/sdk';
import type { CallOutcome as ToolOutcome } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import { traceIn } from '@holdfast/events';
import { about, noMetrics, noTraces, type LogBindings, type Metrics, type Traces } from '@holdfast/telemetry';
import type { AbortReason, CallOutcome, Output } from '../session/session.messages.js';
import { CallWatch } from './call-watch.js';

type Start = Extract<Output, { type: 'start-call' }>;

export type CallsPorts = {
  readonly tools: ToolSet;
  readonly logger: Logger;
  readonly now: () => number;
  /** Why the call must not begin at this very moment, or null. */
  readonly beginBlockedBy: (attemptId: string) => string | null;
  /** Why the call must not make an effect at this very moment, or null. */
  readonly effectBlockedBy: (attemptId: string) => string | null;
  readonly metrics?: Metrics | undefined;
  readonly traces?: Traces | undefined;
};

export type CallsNews = {
  blocked(attemptId: string, reason: string): void;
  ended(attemptId: string, outcome: CallOutcome): void;
  progressed(attemptId: string, progress: Json): void;
};

const PROGRESS_EVERY_MS = 250;
const PROGRESS_LENGTH_MAX = 8 * 1024;

type Call = {
  readonly controller: AbortController;
  readonly watch: CallWatch;
  aborted: AbortReason | null;
  progressAt: number;
};

/** The calls under way. */
export class Calls {
  private readonly calls = new Map<string, Call>();

  constructor(
    private readonly ports: CallsPorts,
    private readonly news: CallsNews,
  ) {}

  start(start: Start): void {
    const { attemptId, order } = start;
    const blocked = this.ports.beginBlockedBy(attemptId);
    if (blocked !== null) return this.blocked(attemptId, blocked);
    const tool = this.ports.tools.get(order.tool);
    if (tool === undefined) return this.blocked(attemptId, 'tool_unknown');
    const { metrics = noMetrics, traces = noTraces, now } = this.ports;
    const logger = about(this.ports.logger, aboutOf(start));
    const watch = new CallWatch(start, { metrics, traces, now, logger });
    const call: Call = { controller: new AbortController(), watch, aborted: null, progressAt: -Infinity };
    this.calls.set(attemptId, call);
    failpoint('executor.call.before');
    const outcome = callTool(tool, order.args, this.frame(start, call));
    void outcome.then((ended) => this.end(attemptId, call, ended));
  }

  abort(attemptId: string, reason: AbortReason): void {
    const call = this.calls.get(attemptId);
    if (call === undefined || call.aborted !== null) return;
    call.aborted = reason;
    call.controller.abort(new DOMException(ABORTED[reason], 'AbortError'));
  }

  private end(attemptId: string, call: Call, outcome: ToolOutcome): void {
    failpoint('executor.call.after');
    this.calls.delete(attemptId);
    const said = told(call.aborted, outcome);
    call.watch.ended(said);
    this.news.ended(attemptId, said);
  }

  private blocked(attemptId: string, reason: string): void {
    this.ports.metrics?.add('holdfast_calls_blocked_total', { reason });
    this.news.blocked(attemptId, reason);
  }

  private frame({ attemptId, order, deadline }: Start, call: Call) {
    return {
      key: order.key,
      runId: order.runId,
      stepId: order.stepId,
      attempt: order.attempt,
      deadline,
      signal: call.controller.signal,
      refusal: () => this.refusal(attemptId, call),
      progress: (value: Json) => this.progress(attemptId, call, value),
      logger: call.watch.logger,
      now: this.ports.now,
      budget: order.budget,
      traceparent: call.watch.traceparent,
    };
  }

  private refusal(attemptId: string, call: Call): GuardReason | null {
    const reason = guardReason(call.aborted, this.ports.effectBlockedBy(attemptId));
    if (reason === null) failpoint('executor.effect.before');
    return reason;
  }

  /** May be dropped: nothing is decided from it. */
  private progress(attemptId: string, call: Call, value: Json): void {
    const now = this.ports.now();
    if (now - call.progressAt < PROGRESS_EVERY_MS) return;
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined || text.length > PROGRESS_LENGTH_MAX) return;
    call.progressAt = now;
    this.news.progressed(attemptId, JSON.parse(text) as Json);
  }
}

const aboutOf = ({ attemptId, order: { runId, stepId, traceparent } }: Start): LogBindings => {
  const trace = traceIn(traceparent);
  return { runId, stepId, attemptId, ...(trace === undefined ? {} : { traceId: trace.id }) };
};

const ABORTED: Readonly<Record<AbortReason, string>> = {
  deadline: 'the deadline of the call has passed',
  run_aborted: 'the run was stopped',
  shutdown: 'the executor is stopping',
};

/** A call that stopped because it was told to says so; whatever it managed to say besides is worth more. */
const told = (aborted: AbortReason | null, outcome: ToolOutcome): CallOutcome => {
  if (aborted === null || aborted === 'deadline' || outcome.outcome === 'succeeded') return outcome;
  const used = outcome.used === undefined ? {} : { used: outcome.used };
  return { outcome: 'aborted', effect: outcome.outcome === 'failed' ? 'none' : 'unknown', reason: aborted, ...used };
};

const guardReason = (aborted: AbortReason | null, blocked: string | null): GuardReason | null => {
  if (aborted === 'shutdown') return 'stopping';
  if (aborted === 'run_aborted' || blocked === 'run_aborted') return 'aborted';
  if (blocked === null) return aborted;
  return blocked === 'deadline_passed' || blocked === 'key_window_over' ? 'deadline' : 'lease';
};
