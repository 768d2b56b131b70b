import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  captureLane,
  decodeHistory,
  foldRecord,
  laneDigest,
  newLane,
  restoreAt,
  restoreRow,
  snapshotRows,
  SNAPSHOT_VERSION,
  type LaneState,
  type RestoredLane,
} from '@holdfast/events';
import { digest } from '../support/digest.js';

/** What every version of the fold has made of the recorded histories: one hash over the states after each batch. */
const file = new URL(`snapshots/${SNAPSHOT_VERSION}.json`, import.meta.url);

export const recordedFolds = (): Readonly<Record<string, string>> =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};

/** A history is recorded once for a version. */
export const recordFolds = (folds: Readonly<Record<string, string>>): void => {
  const all = { ...folds, ...recordedFolds() };
  mkdirSync(new URL('snapshots/', import.meta.url), { recursive: true });
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
};

export const foldOf = (values: readonly Uint8Array[]): string => {
  const lane = newLane();
  let all = '';
  for (const value of values) {
    fold(lane, value);
    if (lane.batch === null) all = digest(all + laneDigest(lane, digest));
  }
  return all;
};

export const fold = (lane: LaneState, value: Uint8Array): void => {
  const decoded = decodeHistory(value);
  if (!decoded.ok) throw new Error(decoded.problem);
  foldRecord(lane, decoded.record, digest(value), digest);
};

/** The lane written down line by line, as text, and put together again. */
export const writtenAndRead = (lane: LaneState, offset: number): RestoredLane => {
  const { epoch, seq, owner, chain } = lane;
  const lines = [...snapshotRows(captureLane(lane))].map((row) => JSON.stringify(row));
  const restored = restoreAt({ offset, epoch, seq, owner: owner ?? '', chain });
  for (const line of lines) restoreRow(restored, JSON.parse(line) as unknown);
  return restored;
};
