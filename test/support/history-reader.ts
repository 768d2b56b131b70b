import { decodeHistory, foldRecord, newLane, type HistoryRecord, type LaneState } from '@holdfast/events';
import { digest } from './digest.js';
import type { FakeHistory } from './fake-history.js';

/** Somebody else who folds the same history, record by record. */
export class Reader {
  readonly lane: LaneState = newLane();
  readonly records: HistoryRecord[] = [];
  #read = 0;

  constructor(readonly history: FakeHistory) {}

  /** Folds what was written since. */
  catchUp(): this {
    for (const value of this.history.values.slice(this.#read)) {
      const decoded = decodeHistory(value);
      if (!decoded.ok) throw new Error(decoded.problem);
      if (foldRecord(this.lane, decoded.record, digest(value), digest) === 'valid') this.records.push(decoded.record);
      this.#read += 1;
    }
    return this;
  }
}
