import type { Defect, Digest, HistoryRecord } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { followLanes } from '../lane/follow-lanes.js';
import { ClientError } from './client-error.js';
import { Queue } from './queue.js';

/** How far a cancel of many runs has come, over all lanes. */
export type BulkProgress = {
  /** Runs that were meant when it was asked for. */
  readonly runs: number;
  readonly cancelled: number;
  /** Of those that were cancelled, the ones that are over. */
  readonly ended: number;
};

/** One request for each lane: an answer is known by its id alone. */
export const bulkIdOn = (requestId: string, lane: number): string => `${requestId}@${lane}`;

type Place = { readonly log: Log; readonly topic: string; readonly digest: Digest; readonly lanes: number };

/** Told each time that it has come further; ends when all lanes are done and all its runs are over. */
export async function* watchBulkCancel(
  place: Place,
  requestId: string,
  signal?: AbortSignal,
): AsyncGenerator<BulkProgress> {
  const queue = new Queue<HistoryRecord>();
  const lanes = Array.from({ length: place.lanes }, (_, lane) => lane);
  const follower = followLanes({
    ...place,
    onRecord: ({ record, folded }) => (folded === 'valid' ? queue.add(record) : undefined),
    onDefect: (defect: Defect, lane) =>
      queue.fail(new ClientError('unsound_history', `lane ${lane}: ${defect.message}`)),
  });
  const abort = (): void => queue.end();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  for (const lane of lanes) follower.follow(lane);
  const tally = new Tally(new Set(lanes.map((lane) => bulkIdOn(requestId, lane))));
  try {
    for (let record = await queue.next(); record !== null; record = await queue.next()) {
      if (!tally.take(record)) continue;
      yield tally.progress;
      if (tally.isDone) return;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await follower.close();
  }
}

class Tally {
  private readonly open = new Set<string>();
  private readonly done = new Set<string>();
  private counts = { runs: 0, cancelled: 0, ended: 0 };

  constructor(private readonly ids: ReadonlySet<string>) {}

  get progress(): BulkProgress {
    return this.counts;
  }

  get isDone(): boolean {
    return this.done.size === this.ids.size && this.open.size === 0;
  }

  /** Whether the record is about this cancel. */
  take({ event, subject }: HistoryRecord): boolean {
    const { runs, cancelled, ended } = this.counts;
    switch (event.type) {
      case 'BulkCancelRequested':
        if (!this.ids.has(event.data.requestId)) return false;
        this.counts = { ...this.counts, runs: runs + event.data.runs };
        return true;
      case 'CancelRequested':
        if (subject === null || !this.ids.has(event.data.bulk ?? '')) return false;
        this.open.add(subject);
        this.counts = { ...this.counts, cancelled: cancelled + 1 };
        return true;
      case 'BulkCancelEnded':
        if (!this.ids.has(event.data.requestId)) return false;
        this.done.add(event.data.requestId);
        return true;
      case 'RunEnded':
        if (subject === null || !this.open.delete(subject)) return false;
        this.counts = { ...this.counts, ended: ended + 1 };
        return true;
      default:
        return false;
    }
  }
}
