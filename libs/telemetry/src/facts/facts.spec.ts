import {
  attemptSpan,
  doubtSpan,
  evolve,
  runSpan,
  type HistoryRecord,
  type LiveRun,
  type RunEvent,
  type RunState,
} from '@holdfast/events';
import { T0 } from '../../../../test/support/clock.js';
import { accepted, doubtful, happened, held, scheduled } from '../../../../test/support/run-events.js';
import { runEvent } from '@holdfast/events';
import { RelayedMetrics } from '../metrics/relayed-metrics.js';
import { factSpans, type DoubtsSince } from '../traces/fact-spans.js';
import { countFacts } from './count-facts.js';
import type { Written } from './written.js';

const TRACE = { id: 'a'.repeat(32), parent: 'b'.repeat(16), sampled: true };
const traced = (policy: string): RunEvent => accepted(policy, undefined, { trace: TRACE });

const stateOf = (events: readonly RunEvent[]): RunState | undefined =>
  events.reduce<RunState | undefined>((run, event, seq) => evolve(run, event, seq), undefined);

/** A batch on top of a history, written `ms` after its beginning. */
const written = (before: readonly RunEvent[], batch: readonly RunEvent[], ms = 2_000): Written => {
  const run = stateOf(before);
  const records = batch.map(
    (event) => ({ subject: 'run-1', time: new Date(T0 + ms).toISOString(), event }) as unknown as HistoryRecord,
  );
  return { records, before: () => run };
};

const counted = (before: readonly RunEvent[], batch: readonly RunEvent[]) => {
  const metrics = new RelayedMetrics();
  countFacts(metrics, written(before, batch));
  return Object.fromEntries(
    metrics.drain().map((one) => {
      const labels = Object.values(one.labels).join(',');
      return [
        `${one.name.replace('holdfast_', '')}${labels === '' ? '' : ` ${labels}`}`,
        'by' in one ? one.by : one.values,
      ];
    }),
  );
};

const settled = (verdict: 'applied' | 'absent'): RunEvent =>
  runEvent('DoubtSettled', {
    stepId: 'a',
    attempt: 0,
    doubtSeq: 3,
    verdict,
    by: 'reconciler',
    askedAt: T0,
    evidence: { summary: 'looked' },
  });

describe('counting what has become history', () => {
  it('counts an acceptance and what is scheduled with it', () => {
    expect(counted([], [accepted('verifiable'), scheduled('verifiable')])).toEqual({
      'requests_total accepted': 1,
      runs_accepted_total: 1,
      'attempts_scheduled_total verifiable,false': 1,
    });
  });

  it('counts how long an attempt took that was scheduled before', () => {
    expect(counted(held('verifiable'), [happened('StepSucceeded')])).toEqual({
      'steps_total succeeded': 1,
      'attempts_total succeeded': 1,
      'attempt_seconds succeeded': [2],
    });
  });

  it('counts a doubt and its settling, and no second attempt for the verdict', () => {
    expect(counted(held('verifiable'), [happened('DoubtOpened')])).toEqual({
      'doubts_opened_total session_expired,run': 1,
      'attempts_total in_doubt': 1,
      'attempt_seconds in_doubt': [2],
    });
    const recovered = happened('StepSucceeded', { by: 'verdict', session: null });
    expect(counted(doubtful('verifiable'), [settled('applied'), recovered])).toEqual({
      'doubts_settled_total applied,reconciler': 1,
      'steps_total succeeded': 1,
    });
  });

  it('counts turns of agents, and calls that were not made, by why', () => {
    const calls = [{ step: 'x-0' }, { refused: 'unknown_tool', message: 'none' } as const];
    const context = { turns: 0, leftOut: 0, summed: false };
    const usage = { tokensIn: 1, tokensOut: 1 };
    const turn = runEvent('TurnTaken', { stepId: 'a', turn: 0, did: 'called', calls, context, usage });
    expect(counted(held('verifiable'), [turn])).toEqual({
      'turns_total called': 1,
      'model_calls_refused_total unknown_tool': 1,
    });
  });

  it('counts an end with what the run has used', () => {
    const end = happened('RunEnded', {
      reason: 'succeeded',
      endedAt: T0 + 3_000,
      spent: { steps: 2, 'money:EUR': '1.5' },
    });
    expect(counted(held('verifiable'), [end])).toMatchObject({
      'runs_ended_total succeeded': 1,
      'run_seconds succeeded': [3],
      'budget_spent_total steps': 2,
      'money_spent_total EUR': 1.5,
    });
  });
});

const spans = (before: readonly RunEvent[], batch: readonly RunEvent[], since: DoubtsSince = new Map()) =>
  factSpans(written(before, batch), since);

const history = [traced('verifiable'), scheduled('verifiable'), happened('AttemptHeld')];
const run = stateOf(history) as LiveRun;

describe('spans of what has become history', () => {
  it('are none for a run that nobody traces', () => {
    expect(spans(held('verifiable'), [happened('StepSucceeded')])).toEqual([]);
  });

  it('put an attempt below its run, and the run below its submitter', () => {
    expect(spans(history, [happened('StepSucceeded'), happened('RunEnded', { reason: 'succeeded' })])).toMatchObject([
      { name: 'attempt verifiable@1', traceId: TRACE.id, spanId: attemptSpan(run, 'a', 0), parentSpanId: runSpan(run) },
      { name: 'run', traceId: TRACE.id, spanId: runSpan(run), parentSpanId: TRACE.parent, failure: null },
    ]);
  });

  it('tell of a doubt from its opening on, below the attempt that it is about', () => {
    const since: DoubtsSince = new Map();
    expect(spans(history, [happened('DoubtOpened')], since)).toMatchObject([{ failure: 'in_doubt', links: [] }]);
    const inDoubt = [...history, happened('DoubtOpened')];
    expect(factSpans(written(inDoubt, [settled('absent')], 5_000), since)).toMatchObject([
      { name: 'doubt', parentSpanId: attemptSpan(run, 'a', 0), start: T0 + 2_000, end: T0 + 5_000 },
    ]);
  });

  it('link an attempt to the one before it and to the doubt about that', () => {
    const again = [...history, happened('DoubtOpened'), settled('absent'), scheduled('verifiable', 1)];
    const [span] = spans(again, [happened('StepSucceeded', { attempt: 1 })]);
    expect(span?.links).toEqual([
      { spanId: attemptSpan(run, 'a', 0), about: 'earlier attempt' },
      { spanId: doubtSpan(run, 'a', 0), about: 'doubt about an earlier attempt' },
    ]);
  });
});
