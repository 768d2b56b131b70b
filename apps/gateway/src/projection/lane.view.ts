import type { RunState } from '@holdfast/events';
import type {
  AttemptRow,
  BudgetRow,
  DoubtRow,
  EventRow,
  LaneRow,
  QuestionRow,
  RunRow,
  StepRow,
} from '../store/tables.js';
import { KeptRows } from './kept-rows.js';

/**
 * What is needed to compute whole rows out of the next record of a lane: all that is open, nothing that is over. Like
 * the state of the fold beside it, it changes with each record.
 */
export type LaneView = {
  readonly lane: number;
  /** Runs that are not over. */
  readonly runs: Map<string, RunView>;
  /** Runs of which something was told since rows were taken last. */
  touched: Map<string, RunView>;
  events: EventRow[];
  accepted: { readonly runId: string; readonly seq: number; readonly offset: number }[];
  readonly steps: KeptRows<StepRow>;
  readonly attempts: KeptRows<AttemptRow>;
  readonly doubts: KeptRows<DoubtRow>;
  readonly questions: KeptRows<QuestionRow>;
  readonly budgets: KeptRows<BudgetRow>;
  /** Null before the first record, and after it was taken. */
  laneRow: LaneRow | null;
  runsTotal: number;
};

/** What of a run its row shows and its state does not tell. */
export type RunView = {
  readonly runId: string;
  readonly acceptedSeq: number;
  readonly header: Pick<RunRow, 'labels' | 'tenant' | 'parentRunId' | 'principal' | 'acceptedAt'>;
  /** As it was before it was forgotten: once it is over its state says nothing of limits and deadline. */
  live: LiveRunView;
  state: RunState;
  /** Its last record. */
  last: { readonly seq: number; readonly offset: number; readonly at: number };
  end: Pick<RunRow, 'reason' | 'detail' | 'endedAt' | 'endedSeq'> | null;
  reportSeq: number | null;
  tally: Pick<RunRow, 'stepsSucceeded' | 'stepsFailed' | 'effectsApplied'>;
  cancel: RunRow['cancel'];
  /** By ids, keys and numbers; the rows are in the lane's view. */
  readonly steps: Set<string>;
  /** Steps that were open when the run ended; what was in doubt may still be settled. */
  readonly left: Set<string>;
  /** Attempts that are open, by their step. */
  readonly attempts: Map<string, readonly string[]>;
  /** Attempts with effects that are over, oldest first: a later word may contradict what was found. */
  readonly finished: Set<string>;
  readonly doubts: Set<string>;
  readonly questions: Set<string>;
};
export type LiveRunView = Exclude<RunState, { status: 'ended' }>;

const SEPARATOR = '\n';
export const stepKey = ({ runId, stepId }: { runId: string; stepId: string }): string =>
  `${runId}${SEPARATOR}${stepId}`;
export const attemptKey = (row: { runId: string; stepId: string; attempt: number }): string =>
  `${stepKey(row)}${SEPARATOR}${row.attempt}`;
export const numberKey = ({ runId, seq }: { runId: string; seq: number }): string => `${runId}${SEPARATOR}${seq}`;

/** A lane of which nothing was told yet. */
export const newLaneView = (lane: number): LaneView => ({
  lane,
  runs: new Map(),
  touched: new Map(),
  events: [],
  accepted: [],
  steps: new KeptRows<StepRow>(stepKey),
  attempts: new KeptRows<AttemptRow>(attemptKey),
  doubts: new KeptRows<DoubtRow>(numberKey),
  questions: new KeptRows<QuestionRow>(numberKey),
  budgets: new KeptRows<BudgetRow>(({ owner, kind }) => `${owner}${SEPARATOR}${kind}`),
  laneRow: null,
  runsTotal: 0,
});
