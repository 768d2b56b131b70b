import { laneOf } from '@holdfast/events';
import type { Entry, Log } from '@holdfast/log';
import { Author } from './author.js';
import { EVENTS_PER_RUN, runStory } from './run-story.js';

/** Runs of a lane that are under way at the same time. */
const TOGETHER = 18;
const APPEND_RECORDS = 1_000;

export type Written = { readonly runIds: readonly string[]; readonly events: number; readonly ends: readonly number[] };

/** Fills the histories of all lanes with small runs, so many of each lane at the same time. */
export const writeHistory = async (
  log: Log,
  topic: string,
  { runs, lanes }: { readonly runs: number; readonly lanes: number },
): Promise<Written> => {
  const byLane: string[][] = Array.from({ length: lanes }, () => []);
  const runIds = Array.from({ length: runs }, (_, index) => `bench-${String(index).padStart(7, '0')}`);
  for (const runId of runIds) byLane[laneOf(runId, lanes)]?.push(runId);
  const ends = await Promise.all(byLane.map((ids, lane) => writeLane(log, { topic, lane }, ids)));
  return { runIds, events: ends.reduce((sum, end) => sum + end, 0), ends };
};

/** Answers how many records the lane has. */
const writeLane = async (
  log: Log,
  { topic, lane }: { readonly topic: string; readonly lane: number },
  runIds: readonly string[],
): Promise<number> => {
  let waiting: Entry[] = [];
  let written = 0;
  const flush = async () => {
    const appended = await log.append(topic, lane, waiting);
    if (appended.outcome !== 'appended') throw new Error(`history could not be written: ${appended.detail}`);
    written += waiting.length;
    waiting = [];
  };
  for (const batch of batchesOf(lane, runIds)) {
    if (waiting.length + batch.length > APPEND_RECORDS) await flush();
    waiting.push(...batch);
  }
  if (waiting.length > 0) await flush();
  return written;
};

/** The next event of each run that is under way, and then the next one. */
function* batchesOf(lane: number, runIds: readonly string[]): Generator<readonly Entry[]> {
  const author = new Author(lane);
  const start = Date.now() - runIds.length;
  yield author.acquire(start);
  for (let from = 0; from < runIds.length; from += TOGETHER) {
    const at = start + from;
    const stories = runIds.slice(from, from + TOGETHER).map((runId) => ({ runId, events: runStory(runId, at) }));
    for (let turn = 0; turn < EVENTS_PER_RUN; turn += 1) {
      // Two batches for each turn: as small as they are in life.
      for (const half of [stories.slice(0, TOGETHER / 2), stories.slice(TOGETHER / 2)]) {
        const told = half.flatMap(({ runId, events }) => {
          const event = events[turn];
          return event === undefined ? [] : [{ event, runId, at }];
        });
        if (told.length > 0) yield author.decide(told, at);
      }
    }
    for (const { runId } of stories) author.forget(runId);
  }
}
