import type { Metrics } from '../metrics/metrics.port.js';
import type { Span, Traces } from './span.js';

/** Brings spans to whoever collects them; rejects when they did not arrive. */
export type Send = (spans: readonly Span[]) => Promise<void>;

export type SpanQueueOptions = {
  readonly send: Send;
  readonly metrics: Metrics;
  readonly warn: (detail: string) => void;
  /** Spans that may wait; default 4,096. What comes on top is dropped and counted. */
  readonly waitingMax?: number;
  readonly pauseMs?: number;
};

const WAITING_MAX = 4_096;
const BATCH_MAX = 512;
const PAUSE_MS = 500;
const CLOSE_MS = 2_000;

/** Sends spans in the background, a batch at a time. A collector that is away costs spans and nothing else. */
export class SpanQueue implements Traces {
  readonly enabled = true;
  private waiting: Span[] = [];
  private sending: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isFailing = false;
  private isClosed = false;

  constructor(private readonly options: SpanQueueOptions) {}

  tell(span: Span): void {
    const { waitingMax = WAITING_MAX, metrics, pauseMs = PAUSE_MS } = this.options;
    if (this.isClosed || this.waiting.length >= waitingMax)
      return metrics.add('holdfast_spans_total', { outcome: 'dropped' });
    this.waiting.push(span);
    if (this.waiting.length >= BATCH_MAX) return this.flush();
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush();
    }, pauseMs);
    this.timer.unref();
  }

  async close(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
    await Promise.race([this.rest(), late]).finally(() => clearTimeout(timer));
    this.isClosed = true;
    const left = this.waiting.splice(0).length;
    if (left > 0) this.options.metrics.add('holdfast_spans_total', { outcome: 'dropped' }, left);
  }

  private async rest(): Promise<void> {
    this.flush();
    while (this.sending !== null) await this.sending;
  }

  private flush(): void {
    if (this.sending !== null || this.waiting.length === 0) return;
    const batch = this.waiting.splice(0, BATCH_MAX);
    this.sending = this.send(batch).finally(() => {
      this.sending = null;
      if (this.waiting.length > 0) this.flush();
    });
  }

  private async send(batch: readonly Span[]): Promise<void> {
    const { send, metrics, warn } = this.options;
    try {
      await send(batch);
      metrics.add('holdfast_spans_total', { outcome: 'exported' }, batch.length);
      this.isFailing = false;
    } catch (error) {
      metrics.add('holdfast_spans_total', { outcome: 'failed' }, batch.length);
      if (!this.isFailing) warn(error instanceof Error ? error.message : String(error));
      this.isFailing = true;
    }
  }
}
