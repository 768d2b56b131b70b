import type { Defect, Digest, HistoryRecord, RunState } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { followLane } from '../lane/follow-lanes.js';
import { ClientError } from './client-error.js';
import { Queue } from './queue.js';

export type WatchOptions = {
  /** Records of a lower number in the lane are folded without being told. */
  readonly from?: number;
  readonly signal?: AbortSignal;
  /** Goes on after the run has ended: doubts may still be settled and its report amended. */
  readonly beyondEnd?: boolean;
};

/** One fact of a run and the run after it; undefined once the lane has forgotten the run. */
export type Watched = {
  readonly record: HistoryRecord;
  readonly run: RunState | undefined;
  readonly lane: number;
  readonly offset: number;
};

export type WatchPlace = {
  readonly log: Log;
  readonly topic: string;
  readonly lane: number;
  readonly digest: Digest;
};

/**
 * The valid records of a run in order, first those that are there, then as they come. Ends at `RunEnded` (unless
 * `beyondEnd`), when the signal is aborted, or with a `ClientError` when the history is not sound.
 */
export async function* watchRun(place: WatchPlace, runId: string, options: WatchOptions = {}): AsyncGenerator<Watched> {
  const { from = 0, signal, beyondEnd = false } = options;
  const queue = new Queue<Watched>();
  const follower = followLane({
    ...place,
    onRecord: ({ record, offset }, folded, state) => {
      if (folded !== 'valid' || record.subject !== runId) return;
      queue.add({ record, run: state.runs.get(runId)?.run, lane: place.lane, offset });
    },
    onDefect: (defect) => queue.fail(unsound(runId, defect)),
  });
  const abort = (): void => queue.end();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    for (;;) {
      const watched = await queue.next();
      if (watched === null) return;
      if (watched.record.lane.seq >= from) yield watched;
      if (watched.record.event.type === 'RunEnded' && !beyondEnd) return;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await follower.close();
  }
}

const unsound = (runId: string, defect: Defect): ClientError =>
  new ClientError('unsound_history', `run ${runId}: ${defect.message}`, { cause: defect });
