import { laneOf, type HistoryRecord, type RunEventData, type SharedEventData } from '@holdfast/events';
import type { Violated } from './invariant.js';

type Known = {
  readonly runId: string;
  readonly lane: number;
  readonly seq: number;
  readonly labels: Readonly<Record<string, string>>;
  stopped: boolean;
};

/** Cancels of all runs with some labels: of each that was there, and of no other. */
export class BulkChecks {
  private readonly runs = new Map<string, Known>();
  private readonly open = new Map<string, SharedEventData<'BulkCancelRequested'>>();
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly lanes: number,
    private readonly violated: Violated,
  ) {}

  add({ event, subject, lane }: HistoryRecord): void {
    const runId = subject ?? '';
    const run = this.runs.get(runId);
    switch (event.type) {
      case 'RunAccepted': {
        const { labels } = event.data;
        return void this.runs.set(runId, {
          runId,
          lane: laneOf(runId, this.lanes),
          seq: lane.seq,
          labels,
          stopped: false,
        });
      }
      case 'BulkCancelRequested':
        return void this.open.set(event.data.requestId, event.data);
      case 'CancelRequested':
        this.cancelled(run, event.data);
        return stop(run);
      case 'RunSuperseded':
      case 'RunEnded':
        return stop(run);
      case 'BulkCancelEnded':
        return this.ended(event.data);
      default:
        return;
    }
  }

  atEnd(): void {
    for (const requestId of this.open.keys()) this.violated('bulkIsWhole', `${requestId} has not come to its end`);
  }

  private cancelled(run: Known | undefined, { bulk: requestId, deadlineAt }: RunEventData<'CancelRequested'>): void {
    if (requestId === undefined || run === undefined) return;
    const bulk = this.open.get(requestId);
    if (bulk === undefined || !isMeant(run, bulk) || deadlineAt > bulk.deadlineAt)
      return this.violated('bulkIsWhole', `${run.runId} is cancelled by ${requestId}, which does not mean it`);
    this.counts.set(requestId, (this.counts.get(requestId) ?? 0) + 1);
  }

  private ended({ requestId, cancelled }: SharedEventData<'BulkCancelEnded'>): void {
    const bulk = this.open.get(requestId);
    this.open.delete(requestId);
    const count = this.counts.get(requestId) ?? 0;
    if (bulk === undefined || cancelled !== count || count > bulk.runs)
      return this.violated(
        'bulkIsWhole',
        `${requestId} ends with ${cancelled} of ${bulk?.runs}, and cancelled ${count}`,
      );
    for (const run of this.runs.values()) {
      if (isMeant(run, bulk) && !run.stopped)
        this.violated('bulkIsWhole', `${requestId} ends and has left ${run.runId} out`);
    }
  }
}

const stop = (run: Known | undefined): void => {
  if (run !== undefined) run.stopped = true;
};

const isMeant = ({ lane, seq, labels }: Known, bulk: SharedEventData<'BulkCancelRequested'>): boolean =>
  lane === bulk.lane &&
  seq < bulk.beforeSeq &&
  Object.entries(bulk.labels).every(([name, value]) => labels[name] === value);
