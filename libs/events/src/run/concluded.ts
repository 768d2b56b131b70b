import { LIMITS } from '../limits.js';
import { hasEffect } from '../policy.js';
import { openStep } from './run.parts.js';
import type { LiveRun, ReportList, Tally } from './run.state.js';

export type Conclusion = 'absent' | 'closed' | 'skipped' | 'failed';

/**
 * Remembers that attempts of a step with effects were taken not to have acted, so that a later word to the contrary is
 * noticed. Only the latest ones: what a run remembers does not grow with its length.
 */
export const conclude = (run: LiveRun, stepId: string, attempts: readonly number[], as: Conclusion): LiveRun => {
  const step = openStep(run, stepId);
  if (step === undefined || !hasEffect(step.policy)) return run;
  const all = [...Object.entries(run.concluded), ...attempts.map((attempt) => [`${stepId}/${attempt}`, as] as const)];
  return { ...run, concluded: Object.fromEntries(all.slice(-LIMITS.concludedMax)) };
};

type Entry = Tally['absent'][number];

/** Adds to a list of the report: the first entries by name, all of them by number. */
export const note = (report: Tally, list: ReportList, entries: readonly Entry[]): Tally => ({
  ...report,
  [list]: [...report[list], ...entries].slice(0, LIMITS.reportEntriesMax),
  totals: { ...report.totals, [list]: report.totals[list] + entries.length },
});
