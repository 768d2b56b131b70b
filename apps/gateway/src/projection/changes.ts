import type { RowOf } from '../store/column.js';
import type { TableName, tables } from '../store/tables.js';

/** Whole rows to be written, at most one for each key; what is not named stays as it is. */
export type Changes = {
  /** Runs that were accepted: an older life of the same id goes, with all that belongs to it. */
  readonly accepted: readonly { readonly runId: string; readonly seq: number; readonly offset: number }[];
  readonly rows: RowsByTable;
};

export type RowsByTable = { readonly [T in TableName]?: readonly RowOf<(typeof tables)[T]>[] };

/** What is left of changes when the rows of records before an offset are taken away: they are in the database. */
export const changesFrom = ({ accepted, rows }: Changes, from: number): Changes => {
  const isLater = (row: object) => !('offset' in row) || (row.offset as number) >= from;
  const later = Object.entries(rows).map(([table, all]) => [table, (all as readonly object[]).filter(isLater)]);
  return {
    accepted: accepted.filter(({ offset }) => offset >= from),
    rows: Object.fromEntries(later) as RowsByTable,
  };
};
