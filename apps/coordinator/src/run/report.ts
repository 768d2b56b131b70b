import { hasEffect, LIMITS, note, runEvent, type Attempt, type EffectsReport, type LiveRun } from '@holdfast/events';
import { liveRun, record, type RunDraft } from './draft.js';

/** What the run has done to the world, as far as is known: what is applied, absent, in doubt, still running. */
export const effectsReport = (run: LiveRun): EffectsReport => {
  const attempts = run.steps
    .filter((step) => hasEffect(step.policy))
    .flatMap((step) => step.attempts.map((attempt) => ({ step, attempt })));
  const named = (isWanted: (attempt: Attempt) => boolean) =>
    attempts
      .filter(({ attempt }) => isWanted(attempt))
      .map(({ step: { stepId, tool }, attempt }) => ({ stepId, attempt: attempt.attempt, tool, ...noteOf(attempt) }));
  const doubtful = named(({ status }) => status === 'doubtful');
  const running = named(({ status }) => status !== 'doubtful');
  const { inDoubt, totals } = note(run.report, 'inDoubt', doubtful);
  return {
    ...run.report,
    absent: [...run.report.absent],
    conflicts: [...run.report.conflicts],
    inDoubt: [...inDoubt],
    running: running.slice(0, LIMITS.reportEntriesMax),
    totals: { ...totals, running: running.length },
    ...compensationOf(run),
  };
};

/** What became of undoing the effects, once that is over. */
const compensationOf = ({ undo }: LiveRun): Pick<EffectsReport, 'compensation'> => {
  if (undo?.status !== 'over') return {};
  const { outcome, undone, list } = undo;
  const left = list.slice(0, list.length - undone);
  const held = left.slice(0, LIMITS.reportEntriesMax).map(({ stepId, tool }) => ({ stepId, tool }));
  return { compensation: { outcome, undone, held, heldTotal: left.length } };
};

/** Who may be at it, of what is not over yet. */
const noteOf = ({ status, holder }: Attempt): { readonly note?: string } => {
  if (status === 'doubtful') return {};
  return { note: holder === null ? 'nobody is known to have begun it' : `held by session ${holder.session}` };
};

/** An effect of a run that has ended was settled afterwards. */
export const amendReport = (
  draft: RunDraft,
  { stepId, attempt }: { readonly stepId: string; readonly attempt: number },
  change: string,
): void => {
  const run = liveRun(draft);
  if (run === undefined) return;
  record(draft, runEvent('ReportAmended', { stepId, attempt, change, report: effectsReport(run), spent: run.spent }));
};
