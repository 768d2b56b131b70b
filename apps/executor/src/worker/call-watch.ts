import type { StepOrder } from '@holdfast/contracts';
import { spanOf, traceIn, traceparentOf } from '@holdfast/events';
import type { Logger } from '@holdfast/sdk';
import type { Metrics, Traces } from '@holdfast/telemetry';

type Order = Pick<StepOrder, 'tool' | 'traceparent' | 'attemptId' | 'runId' | 'stepId' | 'attempt'>;
export type CallSeen = { readonly outcome: string; readonly effect?: string };

type To = {
  readonly metrics: Metrics;
  readonly traces: Traces;
  /** Its lines say which call they are about. */
  readonly logger: Logger;
  readonly now: () => number;
};

/** Tells of one call: how it goes into the trace of its run, and what became of it. */
export class CallWatch {
  /** What the tool is given: the call's own place where somebody listens, otherwise that of its attempt. */
  readonly traceparent: string | undefined;
  private readonly begun = performance.now();
  private readonly begunAt: number;

  constructor(
    private readonly call: { readonly order: Order; readonly session: string },
    private readonly to: To,
  ) {
    const { order } = call;
    this.begunAt = to.now();
    const trace = to.traces.enabled ? traceIn(order.traceparent) : undefined;
    this.traceparent = trace === undefined ? order.traceparent : traceparentOf(trace, this.spanId(trace.parent));
    to.metrics.add('holdfast_calls_begun_total', { tool: order.tool });
    to.logger.debug({ tool: order.tool, session: call.session }, 'the call begins');
  }

  get logger(): Logger {
    return this.to.logger;
  }

  ended({ outcome }: CallSeen): void {
    const { metrics, traces, now, logger } = this.to;
    const { order, session } = this.call;
    metrics.add('holdfast_calls_total', { tool: order.tool, outcome });
    metrics.observe('holdfast_call_seconds', { tool: order.tool }, (performance.now() - this.begun) / 1_000);
    logger.debug({ tool: order.tool, outcome }, 'the call has ended');
    const trace = traces.enabled ? traceIn(order.traceparent) : undefined;
    if (trace?.sampled !== true) return;
    traces.tell({
      traceId: trace.id,
      spanId: this.spanId(trace.parent),
      parentSpanId: trace.parent,
      name: `call ${order.tool}`,
      kind: 'client',
      start: this.begunAt,
      end: now(),
      attributes: {
        'holdfast.run': order.runId,
        'holdfast.step': order.stepId,
        'holdfast.attempt': order.attempt,
        'holdfast.tool': order.tool,
        'holdfast.session': session,
        'holdfast.outcome': outcome,
      },
      links: [],
      failure: outcome === 'succeeded' ? null : outcome,
    });
  }

  /** A `pure` attempt may be called again by another session: that is another call. */
  private spanId(attemptSpan: string): string {
    return spanOf(attemptSpan, 'call', this.call.session);
  }
}
