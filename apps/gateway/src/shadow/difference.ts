import { shorten } from '@holdfast/events';
import type { RowsByTable } from '../projection/changes.js';
import { keyOf, type Snapshot } from '../store/pg-rows.js';
import type { Row } from '../store/row-store.js';
import { differingColumn } from '../store/same-row.js';
import { tables, type TableName } from '../store/tables.js';

/** A row that is another one than history makes it. */
export type Difference = {
  readonly lane: number;
  /** The record that wrote the row last, by history. */
  readonly offset: number;
  readonly table: string;
  readonly key: string;
  /** What is wrong, in words. */
  readonly what: string;
};

/** A row that is not there: whether that is wrong depends on what became of its run. */
export type Missing = Difference & {
  readonly runId: string | null;
  /** When a record of history was written, epoch ms; null for rows of other tables. */
  readonly writtenAt: number | null;
};

export type Compared = {
  readonly differences: readonly Difference[];
  readonly missing: readonly Missing[];
  /** Rows of runs whose id another run has by now: they went with the older one. */
  readonly replaced: number;
};

/**
 * Compares rows as they were after some record with what is in the database now. What was written by a later record is
 * passed over: it is compared when its own record comes.
 */
export const compare = (lane: number, expected: RowsByTable, snapshot: Snapshot): Compared => {
  const differences: Difference[] = [];
  const missing: Missing[] = [];
  let replaced = 0;
  const isReplaced = replacedRuns(expected, snapshot);
  for (const [name, rows] of Object.entries(expected) as [TableName, readonly Row[]][]) {
    const table = tables[name];
    for (const row of rows) {
      const key = keyOf(table, row);
      const found = snapshot.rows.get(name)?.get(key);
      const place = { lane, offset: Number(row['offset']), table: table.name, key };
      const { runId } = row;
      if (typeof runId === 'string' && isReplaced.has(runId)) replaced += 1;
      else if (found === undefined)
        missing.push({
          ...place,
          what: 'it is not there',
          runId: typeof runId === 'string' ? runId : null,
          writtenAt: name === 'events' ? Number(row['at']) : null,
        });
      else {
        const what = wrongWith(name, row, found);
        if (what !== null) differences.push({ ...place, what });
      }
    }
  }
  return { differences: differences.toSorted(byOffset), missing, replaced };
};

/** Each row of a run comes with the row of the run itself, so that the database is always asked for that one too. */
const replacedRuns = ({ runs = [] }: RowsByTable, snapshot: Snapshot): ReadonlySet<string> => {
  const there = snapshot.rows.get('runs');
  const later = runs.filter(({ runId, acceptedSeq }) => Number(there?.get(runId)?.['acceptedSeq'] ?? 0) > acceptedSeq);
  return new Set(later.map(({ runId }) => runId));
};

/** The first one in the log comes first. */
export const byOffset = (a: Difference, b: Difference): number => a.offset - b.offset;

const wrongWith = (name: TableName, expected: Row, found: Row): string | null => {
  const [wanted, actual] = [Number(expected['offset']), Number(found['offset'])];
  if (actual > wanted) return null;
  if (actual < wanted) return `it is as record ${actual} left it`;
  const column = differingColumn(tables[name], expected, found);
  if (column === null) return null;
  return `${column} is ${shown(found[column])}, not ${shown(expected[column])}`;
};

const SHOWN_MAX = 200;
const shown = (value: unknown): string => shorten(JSON.stringify(value) ?? 'nothing', SHOWN_MAX);
