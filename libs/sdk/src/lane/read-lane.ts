import type { Digest, LaneState } from '@holdfast/events';
import type { Log, LogRecord } from '@holdfast/log';
import { readToEnd } from '../log/read-to-end.js';
import { LaneReader, type LanePartition, type LaneRecord } from './lane-reader.js';

export type ReadLane = LanePartition & {
  readonly log: Log;
  readonly digest: Digest;
  /** Told of every record, void and repeated ones too, in order. */
  readonly onRecord?: (record: LaneRecord, state: LaneState) => void;
};

/**
 * Folds a lane from its first record to the end that is known when it begins. Returns the state and the next offset.
 * Throws a `Defect` naming the place where the history is not sound; passes on `LogUnavailable` and `LogDefect`.
 */
export const readLane = async (options: ReadLane): Promise<LaneReader> => {
  const { log, topic, lane, digest, onRecord } = options;
  const reader = new LaneReader({ topic, lane }, digest);
  const place = { topic, partition: lane };
  const take = (record: LogRecord): void => {
    const read = reader.take(record);
    onRecord?.(read, reader.state);
  };
  await readToEnd(log, place, take, { from: 0 });
  return reader;
};
