import { captureLane } from '@holdfast/events';
import type { Entry, Log } from '@holdfast/log';
import { LaneReader, sha256, writeSnapshot } from '@holdfast/sdk';
import { Author } from '../project/author.js';
import { stories, type Story } from './stories.js';

const LANE = 0;
const APPEND_RECORDS = 1_000;

export type WriteLane = {
  readonly log: Log;
  readonly topics: { readonly history: string; readonly snapshots: string };
  readonly story: Story;
  /** Records in all. */
  readonly events: number;
  /** So many of them come after the snapshot. */
  readonly after: number;
};

export type WrittenLane = {
  readonly records: number;
  readonly bytes: number;
  readonly snapshot: {
    readonly offset: number;
    readonly runs: number;
    readonly requests: number;
    readonly pieces: number;
    readonly bytes: number;
    /** What it takes in one turn to copy what a lane holds, and in all to write it. */
    readonly captureMs: number;
    readonly writeMs: number;
  };
};

/** Writes a lane's history as its coordinator would, with a snapshot some events before its end. */
export const writeLane = async ({ log, topics, story, events, after }: WriteLane): Promise<WrittenLane> => {
  const reader = new LaneReader({ topic: topics.history, lane: LANE }, sha256);
  let snapshot: WrittenLane['snapshot'] | null = null;
  let waiting: Entry[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const appended = await log.append(topics.history, LANE, waiting);
    if (appended.outcome !== 'appended') throw new Error(`history could not be written: ${appended.detail}`);
    waiting = [];
  };
  for (const batch of batchesOf(story, events)) {
    if (waiting.length + batch.length > APPEND_RECORDS) await flush();
    for (const { key, value } of batch) {
      waiting.push({ key, value });
      bytes += value?.length ?? 0;
      reader.take({ offset: reader.next, at: 0, key, value, headers: {} });
    }
    if (snapshot === null && reader.next >= events - after) {
      await flush();
      snapshot = await takeSnapshot(log, topics.snapshots, reader);
    }
    if (reader.next >= events) break;
  }
  await flush();
  if (snapshot === null) throw new Error('no snapshot was taken');
  return { records: reader.next, bytes, snapshot };
};

function* batchesOf(story: Story, events: number): Generator<readonly Entry[]> {
  const author = new Author(LANE);
  const until = Date.now();
  yield author.acquire(until - events);
  for (const { runId, events: told, at } of stories[story](until, events)) {
    yield author.decide(
      told.map((event) => ({ event, runId, at })),
      at,
    );
    if (told.at(-1)?.type === 'RunEnded') author.forget(runId);
  }
}

const takeSnapshot = async (log: Log, topic: string, { state, next }: LaneReader): Promise<WrittenLane['snapshot']> => {
  const { epoch, seq, owner, chain } = state;
  const began = performance.now();
  const capture = captureLane(state);
  const captured = performance.now();
  const options = { log, topic, lane: LANE, digest: sha256, now: Date.now(), last: null, wanted: () => true };
  const anchor = { offset: next, epoch, seq, owner: owner ?? '', chain };
  const answer = await writeSnapshot(options, { anchor, capture });
  if (!answer.written) throw new Error(`the snapshot could not be written: ${answer.detail}`);
  return {
    offset: next,
    runs: capture.runs.length,
    requests: capture.requests.length,
    pieces: answer.pieces,
    bytes: answer.bytes,
    captureMs: round(captured - began),
    writeMs: round(performance.now() - captured),
  };
};

const round = (ms: number): number => Math.round(ms * 10) / 10;
