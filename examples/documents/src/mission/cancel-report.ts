import type { Call } from '../office/calls.js';
import type { LedgerLine } from '../office/ledger.js';
import { filingStep } from '../plan.js';
import { attemptName, type CancelTally } from './cancel-tally.js';

/** A cancel that was asked for. */
export type Cancel = {
  /** Steps that had succeeded in history. */
  readonly atStep: number;
  readonly withinMs: number;
  /** The executors' processes that were frozen at that moment; empty if none were. */
  readonly frozen: readonly number[];
  readonly tally: CancelTally;
};

export type CancelReport = {
  readonly atStep: number;
  readonly withinMs: number;
  readonly frozen: readonly number[];
  /** From the request being history to the run's end being history, by the broker's clock. */
  readonly terminalMs: number | null;
  readonly scheduledAfter: number;
  /** Calls of attempts that were closed first, and calls that began after history said that they had not acted. */
  readonly startedAfterClosed: number;
  /** The last call that began after the request was history, ms after it; null if none did. */
  readonly lastEffectStartMs: number | null;
  /** What the run's report says, as it was last amended. `inDoubt`: may have acted. */
  readonly applied: number;
  readonly absent: number;
  readonly inDoubt: number;
  /** What does not hold of what a cancel promises, in words. */
  readonly problems: readonly string[];
};

/** What the cancel is compared with. */
export type Evidence = {
  readonly documents: readonly string[];
  readonly lines: readonly LedgerLine[];
  readonly calls: readonly Call[];
  /** Documents whose filing has succeeded in history, by their number. */
  readonly filed: ReadonlySet<number>;
  /** How the run ended. */
  readonly outcome: string;
};

export const cancelReport = (cancel: Cancel, evidence: Evidence): CancelReport => {
  const { atStep, withinMs, frozen, tally } = cancel;
  const { requestedAt, endedAt, scheduledAfter, report } = tally;
  const begun = evidence.calls.filter(({ receivedAt }) => requestedAt !== null && receivedAt > requestedAt);
  const last = Math.max(...begun.map(({ receivedAt }) => receivedAt));
  const figures = {
    atStep,
    withinMs,
    frozen,
    terminalMs: requestedAt === null || endedAt === null ? null : endedAt - requestedAt,
    scheduledAfter,
    startedAfterClosed: callsThatMustNotBe(tally, evidence).length,
    lastEffectStartMs: begun.length === 0 || requestedAt === null ? null : last - requestedAt,
    applied: report?.applied ?? 0,
    absent: report?.totals.absent ?? 0,
    inDoubt: (report?.totals.inDoubt ?? 0) + (report?.totals.running ?? 0),
  };
  return { ...figures, problems: [...brokenPromises(figures, evidence), ...untruths(tally, evidence)] };
};

const callsThatMustNotBe = ({ closed, absent }: CancelTally, { documents, calls }: Evidence): readonly Call[] => {
  const nameOf = attemptsOf(documents);
  return calls.filter((call) => {
    const name = nameOf(call);
    return closed.has(name) || call.receivedAt > (absent.get(name) ?? Infinity);
  });
};

/** Names the attempt that made a call. */
const attemptsOf = (documents: readonly string[]): ((call: Call) => string) => {
  const numbers = numbersOf(documents);
  return ({ document, attempt }) => attemptName(filingStep(numbers.get(document) ?? -1), attempt ?? -1);
};

const numbersOf = (documents: readonly string[]): ReadonlyMap<string, number> =>
  new Map(documents.map((document, index) => [document, index]));

type Figures = Omit<CancelReport, 'problems'>;

const brokenPromises = (figures: Figures, { outcome }: Evidence): readonly string[] => {
  const { terminalMs, withinMs, scheduledAfter, startedAfterClosed } = figures;
  return [
    ...(outcome === 'cancelled' ? [] : [`the run was cancelled, and it ended as: ${outcome}`]),
    ...(terminalMs === null ? ['the cancel or the end of the run never became history'] : []),
    ...((terminalMs ?? 0) > withinMs ? [`the run was over ${terminalMs} ms after the cancel, not ${withinMs}`] : []),
    ...(scheduledAfter > 0 ? [`${scheduledAfter} steps were scheduled after the cancel was history`] : []),
    ...(startedAfterClosed > 0 ? [`${startedAfterClosed} calls began although their attempts were closed`] : []),
  ];
};

/** Where the run's report and the office's ledger do not say the same. */
const untruths = (tally: CancelTally, { documents, lines, calls, filed }: Evidence): readonly string[] => {
  const { report } = tally;
  if (report === null) return [];
  const numbers = numbersOf(documents);
  const doubtful = new Set([...report.inDoubt, ...report.running].map(({ stepId }) => stepId));
  const isReported = (index: number): boolean => filed.has(index) || doubtful.has(filingStep(index));
  const untold = lines.filter(({ document }) => !isReported(numbers.get(document) ?? -1));
  const nameOf = attemptsOf(documents);
  const absent = new Set([
    ...tally.closed,
    ...tally.absent.keys(),
    ...report.absent.map(({ stepId, attempt }) => attemptName(stepId, attempt)),
  ]);
  const denied = calls.filter((call) => call.appliedAt !== null && absent.has(nameOf(call)));
  const { conflicts } = report.totals;
  return [
    ...(report.applied === filed.size
      ? []
      : [`the report counts ${report.applied} as applied, and history says so of ${filed.size}`]),
    ...untold.map(({ document }) => `${document} was filed, and the report has it neither as applied nor in doubt`),
    ...denied.map(({ document }) => `${document} was filed by an attempt of which history says that it did not act`),
    ...(conflicts > 0 ? [`${conflicts} outcomes contradict what history had taken for true`] : []),
  ];
};
