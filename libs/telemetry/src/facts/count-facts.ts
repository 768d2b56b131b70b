import {
  amountOf,
  gaugesOf,
  isAccepting,
  isLaneEvent,
  isMoney,
  openStep,
  type Amounts,
  type HistoryRecord,
  type LaneEvent,
  type RunEvent,
  type RunEventData,
} from '@holdfast/events';
import type { Metrics } from '../metrics/metrics.port.js';
import { liveBefore, type Written } from './written.js';

type Counting = { readonly metrics: Metrics; readonly written: Written; readonly scheduled: Map<string, number> };

/**
 * Counts what a batch says, once it is history. Follows from the records and the runs before them alone; whoever folds
 * the same history later counts nothing.
 */
export const countFacts = (metrics: Metrics, written: Written): void => {
  const counting: Counting = { metrics, written, scheduled: new Map() };
  for (const record of written.records) {
    const { event } = record;
    if (isAccepting(event)) metrics.add('holdfast_requests_total', { outcome: 'accepted' });
    if (isLaneEvent(event)) countLane(metrics, event);
    else countRun(counting, record, event);
  }
};

const countLane = (metrics: Metrics, event: LaneEvent): void => {
  if (event.type === 'LaneAdvanced')
    for (const { outcome } of event.data.replies) metrics.add('holdfast_requests_total', { outcome });
  if (event.type === 'InputsLost')
    metrics.add('holdfast_inputs_lost_records_total', {}, event.data.to - event.data.from);
};

const countRun = (counting: Counting, record: HistoryRecord, event: RunEvent): void => {
  const { metrics, scheduled } = counting;
  switch (event.type) {
    case 'RunAccepted':
      return metrics.add('holdfast_runs_accepted_total', {});
    case 'RunEnded':
      return ended(counting, record.subject ?? '', event.data);
    case 'StepScheduled': {
      const { stepId, attempt, policy, settling, scheduledAt } = event.data;
      scheduled.set(`${record.subject}/${stepId}/${attempt}`, scheduledAt);
      return metrics.add('holdfast_attempts_scheduled_total', { policy, settling: String(settling) });
    }
    case 'AttemptClosed':
      return attemptOver(counting, record, { ...event.data, outcome: 'closed' });
    case 'AttemptSkipped':
      return attemptOver(counting, record, { ...event.data, outcome: 'skipped' });
    case 'StepSucceeded':
      metrics.add('holdfast_steps_total', { outcome: 'succeeded' });
      if (event.data.by === 'outcome' && event.data.session !== null)
        attemptOver(counting, record, { ...event.data, outcome: 'succeeded' });
      return;
    case 'StepFailed':
      if (event.data.final) metrics.add('holdfast_steps_total', { outcome: 'failed' });
      if (event.data.session !== null) attemptOver(counting, record, { ...event.data, outcome: 'failed' });
      return;
    case 'DoubtOpened':
      metrics.add('holdfast_doubts_opened_total', { cause: event.data.cause, holds: event.data.holds });
      return attemptOver(counting, record, { ...event.data, outcome: 'in_doubt' });
    case 'DoubtSettled':
      return metrics.add('holdfast_doubts_settled_total', { verdict: event.data.verdict, by: event.data.by });
    case 'TurnTaken':
      return turnTaken(metrics, event.data);
    case 'ConflictFound':
      return metrics.add('holdfast_conflicts_total', {});
    case 'EscalationOpened':
      return metrics.add('holdfast_questions_opened_total', { kind: event.data.kind });
    case 'EscalationExpired':
      return metrics.add('holdfast_questions_expired_total', {});
    case 'BudgetWarned':
      return metrics.add('holdfast_budget_warnings_total', {});
    case 'BudgetExhausted':
      return metrics.add('holdfast_budget_exhausted_total', { policy: event.data.policy });
    default:
      return;
  }
};

const turnTaken = (metrics: Metrics, { did, calls = [] }: RunEventData<'TurnTaken'>): void => {
  metrics.add('holdfast_turns_total', { did });
  for (const call of calls)
    if ('refused' in call) metrics.add('holdfast_model_calls_refused_total', { why: call.refused });
};

type Over = { readonly stepId: string; readonly attempt: number; readonly outcome: string };

const attemptOver = ({ metrics, written, scheduled }: Counting, record: HistoryRecord, over: Over): void => {
  const { stepId, attempt, outcome } = over;
  metrics.add('holdfast_attempts_total', { outcome });
  const runId = record.subject ?? '';
  const known = openStep(liveBefore(written, runId), stepId)?.attempts.find((one) => one.attempt === attempt);
  const since = scheduled.get(`${runId}/${stepId}/${attempt}`) ?? known?.scheduledAt;
  if (since !== undefined)
    metrics.observe('holdfast_attempt_seconds', { outcome }, (Date.parse(record.time) - since) / 1_000);
};

const ended = (counting: Counting, runId: string, { reason, endedAt, spent }: RunEventData<'RunEnded'>): void => {
  const { metrics, written } = counting;
  const run = liveBefore(written, runId);
  metrics.add('holdfast_runs_ended_total', { reason });
  if (run !== undefined) metrics.observe('holdfast_run_seconds', { reason }, (endedAt - run.acceptedAt) / 1_000);
  if (spent === undefined) return;
  countSpent(metrics, spent);
  if (run === undefined) return;
  for (const { kind, used, limit } of gaugesOf({ budget: run.budget, spent })) {
    const label = isMoney(kind) ? 'money' : labelOf(kind);
    if (limit !== null && label !== null && Number(limit) > 0)
      metrics.observe('holdfast_budget_use_ratio', { kind: label }, Number(used) / Number(limit));
  }
};

/** Kinds that every run has; those that name a tool would be as many as there are tools and versions. */
const KINDS = {
  steps: 'steps',
  turns: 'turns',
  effects: 'effects',
  children: 'children',
  tokensIn: 'tokens_in',
  tokensOut: 'tokens_out',
};

const labelOf = (kind: string): string | null =>
  Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS] : null;

const countSpent = (metrics: Metrics, spent: Amounts): void => {
  for (const kind of Object.keys(spent)) {
    const label = labelOf(kind);
    if (label !== null) metrics.add('holdfast_budget_spent_total', { kind: label }, Number(amountOf(spent, kind)));
    const [, currency = ''] = /^money:(.*)$/.exec(kind) ?? [];
    if (currency === '') continue;
    const named = /^[A-Z]{3}$/.test(currency) ? currency : 'other';
    metrics.add('holdfast_money_spent_total', { currency: named }, Number(amountOf(spent, kind)));
  }
};
