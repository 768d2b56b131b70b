import {
  decodeHistory,
  foldRecord,
  newLane,
  type HistoryRecord,
  type LaneState,
  type LiveRun,
  type RunState,
} from '@holdfast/events';
import { copied, type Cell } from '../engine/cell.js';
import { sealed } from '../engine/sealed.js';
import type { Kit } from './kit.js';
import type { Log, World } from './parts.js';

/** What anybody who reads the history knows. */
export type Folded = {
  readonly lane: LaneState;
  readonly records: readonly HistoryRecord[];
  readonly defect: string | null;
};

export const RUN = 'run-1';

/** Folds a history, going on from what is known of its beginning. */
export const folded = (kit: Kit, { id, value }: World['history']): Folded =>
  kit.cells.once(`fold ${id}`, () => foldedTo(kit, value, value.length));

const foldedTo = (kit: Kit, values: Log<Uint8Array>, end: number): Folded =>
  kit.cells.once(
    `fold ${values
      .slice(0, end)
      .map(({ id }) => id)
      .join()}`,
    () => {
      const last = values[end - 1];
      if (last === undefined) return { lane: newLane(), records: [], defect: null };
      const before = foldedTo(kit, values, end - 1);
      return before.defect === null ? withNext(kit, before, last) : before;
    },
  );

const withNext = (kit: Kit, { lane: known, records }: Folded, last: Cell<Uint8Array>): Folded => {
  const record = decoded(kit, last);
  const lane = copied(known);
  try {
    const is = foldRecord(lane, record, kit.digest(last.value), kit.digest);
    for (const entry of lane.runs.values()) sealed(entry);
    return { lane, records: is === 'valid' ? [...records, record] : records, defect: null };
  } catch (error) {
    return { lane: known, records, defect: (error as Error).message };
  }
};

const decoded = (kit: Kit, { id, value }: Cell<Uint8Array>): HistoryRecord =>
  kit.cells.once(`record ${id}`, () => {
    const read = decodeHistory(value);
    if (!read.ok) throw new Error(read.problem);
    return sealed(read.record);
  });

export const runOf = ({ lane }: Folded): RunState | undefined => lane.runs.get(RUN)?.run;

export const liveRunOf = (known: Folded): LiveRun | undefined => {
  const run = runOf(known);
  return run === undefined || run.status === 'ended' ? undefined : run;
};

/** The types of the events in a batch, in words. */
export const told = (kit: Kit, values: Log<Uint8Array>): string =>
  kit.cells.once(`told ${values.map(({ id }) => id).join()}`, () =>
    values
      .map((value) => {
        const { event } = decoded(kit, value);
        if (!('stepId' in event.data)) return event.type;
        return `${event.type} ${event.data.stepId}${'attempt' in event.data ? `/${event.data.attempt}` : ''}`;
      })
      .join(', '),
  );
