import { attemptSpan, doubtSpan, spanOf, traceparentOf, type RunState, type Trace } from '@holdfast/events';
import type { Metrics, Traces } from '@holdfast/telemetry';
import type { DoubtView } from '../doubt/doubt.view.js';

type Asked = { readonly run: RunState | undefined; readonly view: DoubtView };
type To = { readonly metrics: Metrics; readonly traces: Traces; readonly now: () => number };
type Place = { readonly trace: Trace; readonly spanId: string; readonly doubt: string; readonly attempt: string };

/** Tells of one question to a tool: how it goes into the trace of its run, and what was answered. */
export class QuestionWatch {
  private readonly begun = performance.now();
  private readonly begunAt: number;
  private readonly place: Place | null;

  constructor(
    private readonly asked: Asked,
    private readonly to: To,
  ) {
    this.begunAt = to.now();
    this.place = placeOf(asked, this.begunAt);
  }

  /** What the tool is given, to send it along. */
  get traceparent(): string | undefined {
    return this.place === null ? undefined : traceparentOf(this.place.trace, this.place.spanId);
  }

  ended(verdict: string): void {
    const { metrics, traces, now } = this.to;
    const { view } = this.asked;
    const { tool, runId, stepId, attempt } = view;
    metrics.add('holdfast_probes_total', { tool, verdict });
    metrics.observe('holdfast_probe_seconds', { tool }, (performance.now() - this.begun) / 1_000);
    if (!traces.enabled || this.place === null || !this.place.trace.sampled) return;
    traces.tell({
      traceId: this.place.trace.id,
      spanId: this.place.spanId,
      parentSpanId: this.place.doubt,
      name: `question ${tool}`,
      kind: 'client',
      start: this.begunAt,
      end: now(),
      attributes: {
        'holdfast.run': runId,
        'holdfast.step': stepId,
        'holdfast.attempt': attempt,
        'holdfast.tool': tool,
        'holdfast.verdict': verdict,
      },
      links: [{ spanId: this.place.attempt, about: 'attempt in doubt' }],
      failure: null,
    });
  }
}

/** A question that is put again is another one: it is told by when it was put. */
const placeOf = ({ run, view }: Asked, at: number): Place | null => {
  if (run === undefined || run.status === 'ended' || run.trace === undefined) return null;
  const { stepId, attempt, doubtSeq } = view;
  return {
    trace: run.trace,
    spanId: spanOf(run.runKey, 'question', stepId, doubtSeq, at),
    doubt: doubtSpan(run, stepId, attempt),
    attempt: attemptSpan(run, stepId, attempt),
  };
};
