import { idempotencyKey, maySettleAgain, type LiveRun, type RunState, type StepState } from '@holdfast/events';

/** A doubt that a tool can be asked about, as history has it now. */
export type DoubtView = {
  readonly lane: number;
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  /** `tool@version`. */
  readonly tool: string;
  readonly key: string;
  /** Number of the event that opened the doubt: its identity within the lane. */
  readonly doubtSeq: number;
  /** When no effect of any attempt of the step can land any more, epoch ms. */
  readonly settledAt: number;
  /** Not to be asked about before, epoch ms. */
  readonly askFrom: number;
  /** No attempt of the step may still act: each one that is left is in doubt itself. */
  readonly allInDoubt: boolean;
  /** Questions recorded in history. */
  readonly probes: number;
};

/** The doubts of a run that a tool can be asked about. A level: derived from state alone, so it may be derived again at will. */
export const doubtsOf = (lane: number, run: RunState | undefined): readonly DoubtView[] =>
  run === undefined || run.status === 'ended' ? [] : run.steps.flatMap((step) => viewOf(lane, run, step) ?? []);

const viewOf = (lane: number, run: LiveRun, step: StepState): DoubtView | null => {
  const { doubt } = step;
  const askFrom = askableFrom(run, step);
  if (doubt === null || askFrom === null) return null;
  const { runId, runKey } = run;
  return {
    lane,
    runId,
    stepId: step.stepId,
    attempt: doubt.attempt,
    tool: step.tool,
    key: idempotencyKey(runKey, step.stepId),
    doubtSeq: doubt.seq,
    settledAt: Math.max(doubt.settledAt, ...step.attempts.map((attempt) => attempt.settledAt ?? 0)),
    askFrom,
    allInDoubt: isAllInDoubt(step),
    probes: doubt.probes,
  };
};

/** From when on the step's tool is asked; null: not at all, as things are. */
const askableFrom = (run: LiveRun, step: StepState): number | null => {
  if (step.policy === 'verifiable') return 0;
  if (step.policy !== 'keyed' || run.tools[step.tool]?.verify !== true) return null;
  // Where nothing is called again with the key (a cancel, the end, a failed plan, no tries left) asking is the only way.
  if (!maySettleAgain(run, step)) return 0;
  return isAllInDoubt(step) ? windowEnd(run, step) : null;
};

const isAllInDoubt = (step: StepState): boolean => step.attempts.every((attempt) => attempt.status === 'doubtful');

/** From when on no attempt with the same key could be issued that surely ends before the tool forgets the key. */
const windowEnd = (run: LiveRun, step: StepState): number => {
  const pin = run.tools[step.tool];
  if (pin?.keyTtlMs === undefined) return 0;
  const forgotten = step.firstIssueAt + pin.keyTtlMs;
  // Not `settledAt`: an attempt whose session ended early still counts with the deadline that its claim carries.
  const lasts = step.attempts.map((attempt) => attempt.holder?.deadline ?? attempt.startBy + attempt.timeoutMs);
  if (Math.max(0, ...lasts) + pin.settleMs >= forgotten) return 0;
  const issueMs = Math.max(0, ...step.attempts.map((attempt) => attempt.startBy - attempt.scheduledAt));
  return Math.max(0, forgotten - issueMs - pin.timeoutMs - pin.settleMs);
};
