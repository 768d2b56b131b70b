import { noMetrics, relay, type Metrics } from '@holdfast/telemetry';
import type { ToParent } from '../channel/channel.js';

type Told = Extract<ToParent, { type: 'numbers' }>;

/** What the worker counts, told by its parent: who scrapes an executor need not know that it is two processes. */
export class WorkerNumbers {
  private levels: Told['levels'] = [];

  constructor(private readonly metrics: Metrics = noMetrics) {
    metrics.look((told) => {
      for (const { name, labels, value } of this.levels) told.set(name, labels as never, value);
    });
  }

  said({ counted, levels }: Told): void {
    relay(this.metrics, counted);
    this.levels = levels;
  }

  /** How things stood in a worker that is gone means nothing. */
  gone(cause: string): void {
    this.levels = [];
    this.metrics.add('holdfast_worker_exits_total', { cause });
  }
}
