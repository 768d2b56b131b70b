import type {
  AttemptRow,
  BudgetRow,
  DoubtRow,
  EventRow,
  HistoryTable,
  LaneRow,
  QuestionRow,
  RunRow,
  StepRow,
} from '../store/tables.js';

/** Whole rows to be written, at most one for each key; what is not named stays as it is. */
export type Changes = {
  /** Runs that were accepted: an older life of the same id goes, with all that belongs to it. */
  readonly accepted: readonly { readonly runId: string; readonly seq: number }[];
  readonly rows: RowsByTable;
};

export type RowsByTable = {
  readonly events: readonly EventRow[];
  readonly runs: readonly RunRow[];
  readonly steps: readonly StepRow[];
  readonly attempts: readonly AttemptRow[];
  readonly doubts: readonly DoubtRow[];
  readonly questions: readonly QuestionRow[];
  readonly budgets: readonly BudgetRow[];
  readonly lanes: readonly LaneRow[];
};

/** What is left of changes when the rows of records before an offset are taken away: they are in the database. */
export const changesFrom = ({ accepted, rows }: Changes, offset: number, seq: number): Changes => {
  const later = Object.entries(rows).map(([table, all]) => [table, all.filter((row) => row.offset >= offset)]);
  return {
    accepted: accepted.filter((one) => one.seq >= seq),
    rows: Object.fromEntries(later) as Record<HistoryTable, never>,
  };
};
