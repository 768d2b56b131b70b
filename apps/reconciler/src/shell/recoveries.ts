import type { HistoryRecord } from '@holdfast/events';
import { noMetrics, type Metrics } from '@holdfast/telemetry';

/** How long doubts last, by the records of their lane: whoever has died meanwhile, the log knows both ends. */
export class Recoveries {
  private readonly since = new Map<string, number>();

  constructor(private readonly metrics: Metrics = noMetrics) {}

  /** `isNew`: the record has come while the lane was followed, so that nobody has counted it. */
  see({ event, subject, time }: HistoryRecord, isNew: boolean): void {
    if (event.type === 'DoubtOpened') this.since.set(`${subject}/${event.data.stepId}`, Date.parse(time));
    if (event.type !== 'DoubtSettled') return;
    const key = `${subject}/${event.data.stepId}`;
    const since = this.since.get(key);
    this.since.delete(key);
    if (!isNew || since === undefined) return;
    const { verdict, by } = event.data;
    this.metrics.observe('holdfast_recovery_seconds', { verdict, by }, (Date.parse(time) - since) / 1_000);
  }
}
