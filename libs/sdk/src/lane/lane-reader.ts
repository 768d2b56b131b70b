import {
  decodeHistory,
  Defect,
  foldRecord,
  newLane,
  type Digest,
  type Folded,
  type HistoryRecord,
  type LaneState,
  type RestoredLane,
} from '@holdfast/events';
import type { LogRecord } from '@holdfast/log';

/** A record of a lane's log, with what the fold says of it. Only `valid` ones are history. */
export type LaneRecord = {
  readonly folded: Folded;
  readonly record: HistoryRecord;
  readonly offset: number;
  /** Epoch ms, as the broker stamped it. */
  readonly at: number;
  /** SHA-256 of the value bytes. */
  readonly valueDigest: string;
  /** Size of the value. */
  readonly bytes: number;
};

export type LanePartition = { readonly topic: string; readonly lane: number };

/**
 * Folds the log of one lane, record by record from its first one or from a snapshot. Every reader of history uses this
 * one: it decodes and folds, which compares all hashes, and keeps the place. `state` changes with each record taken.
 */
export class LaneReader {
  readonly state: LaneState;
  private position: number;

  constructor(
    private readonly place: LanePartition,
    private readonly digest: Digest,
    from: RestoredLane | null = null,
  ) {
    this.state = from?.lane ?? newLane();
    this.position = from?.next ?? 0;
  }

  /** The offset of the next record to take. */
  get next(): number {
    return this.position;
  }

  /** Throws a `Defect` naming the place when the record cannot be read or contradicts the history; then stop. */
  take(record: LogRecord): LaneRecord {
    try {
      return this.fold(record);
    } catch (error) {
      if (!(error instanceof Defect)) throw error;
      const { topic, lane } = this.place;
      throw new Defect(`history of lane ${lane} (${topic}) at offset ${record.offset}: ${error.message}`, {
        cause: error,
      });
    }
  }

  private fold({ offset, at, value }: LogRecord): LaneRecord {
    if (offset !== this.position) throw new Defect(`expected offset ${this.position}: records are missing`);
    const decoded = decodeHistory(value);
    if (!decoded.ok) throw new Defect(decoded.problem);
    const { record } = decoded;
    const valueDigest = this.digest(value ?? '');
    const folded = foldRecord(this.state, record, valueDigest, this.digest);
    this.position = offset + 1;
    return { folded, record, offset, at, valueDigest, bytes: value?.byteLength ?? 0 };
  }
}
