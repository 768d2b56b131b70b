import {
  attemptSpan,
  doubtSpan,
  isLaneEvent,
  openStep,
  runSpan,
  type HistoryRecord,
  type LiveRun,
  type RunEvent,
  type RunEventOf,
  type StepState,
  type Trace,
} from '@holdfast/events';
import { liveBefore, type Written } from '../facts/written.js';
import type { Span, SpanLink } from './span.js';

/** How many earlier attempts a span links. */
const LINKS_MAX = 8;

type Traced = LiveRun & { readonly trace: Trace };
type Over = { readonly stepId: string; readonly attempt: number };

/** Since when steps are in doubt, by `run/step`, as far as the owner of the lane has seen it begin. */
export type DoubtsSince = Map<string, number>;

/**
 * The spans that end with a batch that has become history: of runs, attempts and doubts. All that is in them follows
 * from the log, so that whoever owns the lane when they end tells the same.
 */
export const factSpans = (written: Written, since: DoubtsSince): readonly Span[] =>
  written.records.flatMap((record) => {
    const { event, subject } = record;
    if (isLaneEvent(event) || subject === null) return [];
    const run = liveBefore(written, subject);
    return run?.trace?.sampled === true ? spansOf(run as Traced, record, event, since) : [];
  });

const spansOf = (run: Traced, record: HistoryRecord, event: RunEvent, since: DoubtsSince): readonly Span[] => {
  switch (event.type) {
    case 'AttemptClosed':
      return attemptOver(run, record, event.data, 'closed');
    case 'AttemptSkipped':
      return attemptOver(run, record, event.data, 'skipped');
    case 'StepSucceeded':
      return event.data.by === 'outcome' ? attemptOver(run, record, event.data, 'succeeded') : [];
    case 'StepFailed':
      return attemptOver(run, record, event.data, 'failed');
    case 'DoubtOpened':
      since.set(`${run.runId}/${event.data.stepId}`, Date.parse(record.time));
      return attemptOver(run, record, event.data, 'in_doubt');
    case 'DoubtSettled':
      return [doubtOver(run, record, event, since)];
    case 'RunEnded':
      return [runOver(run, event)];
    default:
      return [];
  }
};

const runOver = (run: Traced, { data }: RunEventOf<'RunEnded'>): Span => ({
  traceId: run.trace.id,
  spanId: runSpan(run),
  parentSpanId: run.trace.parent,
  name: 'run',
  kind: 'internal',
  start: run.acceptedAt,
  end: data.endedAt,
  attributes: { 'holdfast.run': run.runId, 'holdfast.reason': data.reason, 'holdfast.applied': data.report.applied },
  links: [],
  failure: data.reason === 'succeeded' ? null : data.reason,
});

const attemptOver = (run: Traced, record: HistoryRecord, over: Over, outcome: string): readonly Span[] => {
  const step = openStep(run, over.stepId);
  const attempt = step?.attempts.find((one) => one.attempt === over.attempt);
  // One that was scheduled and was over within a batch has acted nowhere; one in doubt has its span already.
  if (step === undefined || attempt === undefined || attempt.status === 'doubtful') return [];
  return [
    {
      traceId: run.trace.id,
      spanId: attemptSpan(run, step.stepId, attempt.attempt),
      parentSpanId: runSpan(run),
      name: `attempt ${step.tool}`,
      kind: 'internal',
      start: attempt.scheduledAt,
      end: Date.parse(record.time),
      attributes: {
        ...aboutOf(run, over),
        'holdfast.tool': step.tool,
        'holdfast.policy': step.policy,
        'holdfast.queue': attempt.queue,
        'holdfast.settling': attempt.settling,
        'holdfast.outcome': outcome,
      },
      links: linksOf(run, step, attempt.attempt),
      failure: outcome === 'failed' || outcome === 'in_doubt' ? outcome : null,
    },
  ];
};

const doubtOver = (run: Traced, record: HistoryRecord, event: RunEventOf<'DoubtSettled'>, since: DoubtsSince): Span => {
  const { stepId, verdict, by } = event.data;
  const step = openStep(run, stepId);
  const attempt = step?.doubt?.attempt ?? event.data.attempt;
  const key = `${run.runId}/${stepId}`;
  const end = Date.parse(record.time);
  const scheduledAt = step?.attempts.find((one) => one.attempt === attempt)?.scheduledAt;
  const start = since.get(key) ?? scheduledAt ?? end;
  since.delete(key);
  return {
    traceId: run.trace.id,
    spanId: doubtSpan(run, stepId, attempt),
    parentSpanId: attemptSpan(run, stepId, attempt),
    name: 'doubt',
    kind: 'internal',
    start,
    end,
    attributes: {
      ...aboutOf(run, { stepId, attempt }),
      'holdfast.verdict': verdict,
      'holdfast.by': by,
      'holdfast.cause': step?.doubt?.cause ?? 'unknown',
    },
    links: [],
    failure: null,
  };
};

const aboutOf = (run: Traced, { stepId, attempt }: Over) => ({
  'holdfast.run': run.runId,
  'holdfast.step': stepId,
  'holdfast.attempt': attempt,
});

/** Earlier attempts of the step, and the doubts about them. */
const linksOf = (run: LiveRun, step: StepState, attempt: number): readonly SpanLink[] => {
  const first = Math.max(0, attempt - LINKS_MAX);
  return Array.from({ length: attempt - first }, (_, index) => first + index).flatMap((earlier) => [
    { spanId: attemptSpan(run, step.stepId, earlier), about: 'earlier attempt' },
    ...(wasInDoubt(run, step, earlier)
      ? [{ spanId: doubtSpan(run, step.stepId, earlier), about: 'doubt about an earlier attempt' }]
      : []),
  ]);
};

/** As far as the run remembers it: of a step that only reads, a doubt leaves nothing behind. */
const wasInDoubt = (run: LiveRun, step: StepState, attempt: number): boolean =>
  step.attempts.some((one) => one.attempt === attempt && one.status === 'doubtful') ||
  run.concluded[`${step.stepId}/${attempt}`] === 'absent';
