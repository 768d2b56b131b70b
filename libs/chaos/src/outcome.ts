import type { EndReason } from '@holdfast/events';
import { countRun, type Strictness, type Tally } from './counting.js';
import type { Strike } from './schedule.js';
import type { Struck } from './striker.js';
import type { Purpose, TrackedRun } from './tracked-run.js';
import type { Count } from './witness.js';

/** What became of one run that was there at a strike. */
export type RunOutcome = {
  readonly runId: string;
  readonly program: string;
  readonly purpose: Purpose;
  /** Null: it has not ended in time. */
  readonly end: EndReason | null;
  /** It was accepted and had not ended when the process was struck. */
  readonly underWay: boolean;
  /** From the strike to the next step that succeeded, or the end of the run, ms. */
  readonly recoveryMs: number | null;
  readonly tally: Tally;
  readonly doubts: number;
  readonly conflicts: number;
};

export type StrikeOutcome = {
  readonly strike: Strike;
  readonly hitAt: number | null;
  readonly runs: readonly RunOutcome[];
};

export const outcomeOf = (
  { strike, hitAt, runs }: Struck,
  counts: ReadonlyMap<string, Count>,
  strictness: Strictness,
): StrikeOutcome => ({
  strike,
  hitAt,
  runs: runs.map((run) => runOutcome(run, hitAt, countRun(run, counts, strictness))),
});

const runOutcome = (run: TrackedRun, hitAt: number | null, tally: Tally): RunOutcome => {
  const { runId, program, purpose, doubts, conflicts } = run;
  const underWay = hitAt !== null && run.isUnderWay(hitAt);
  const next = underWay ? run.progressAfter(hitAt) : null;
  const recoveryMs = next === null || hitAt === null ? null : next - hitAt;
  return { runId, program, purpose, end: run.ended?.reason ?? null, underWay, recoveryMs, tally, doubts, conflicts };
};

/** Whether the strike has done what it was for: the process was hit, with a run of each program under way. */
export const isWhole = ({ hitAt, runs }: Struck, programs: readonly string[]): boolean =>
  hitAt !== null &&
  programs.every((name) =>
    runs.some((run) => run.program === name && run.purpose === 'carried' && run.isUnderWay(hitAt)),
  );
