import { hasEffect, LIMITS, note, runEvent, type Attempt, type EffectsReport, type LiveRun } from '@holdfast/events';
import { holderOf, type Claimed } from './attempts.js';
import { boundedText } from './bounded.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';

/** What the run has done to the world, as far as is known: what is applied, absent, in doubt, still running. */
export const effectsReport = (run: LiveRun, env: Env): EffectsReport => {
  const attempts = run.steps
    .filter((step) => hasEffect(step.policy))
    .flatMap((step) => step.attempts.map((attempt) => ({ step, attempt })));
  const named = (isWanted: (attempt: Attempt) => boolean) =>
    attempts
      .filter(({ attempt }) => isWanted(attempt))
      .map(({ step, step: { stepId, tool }, attempt }) => ({
        stepId,
        attempt: attempt.attempt,
        tool,
        ...noteOf(holderOf(env, run, step, attempt), attempt),
      }));
  const doubtful = named(({ status }) => status === 'doubtful');
  const running = named(({ status }) => status !== 'doubtful');
  const { inDoubt, totals } = note(run.report, 'inDoubt', doubtful);
  return {
    ...run.report,
    absent: [...run.report.absent],
    conflicts: run.report.conflicts.map(brief),
    inDoubt: inDoubt.map(brief),
    running: running.slice(0, LIMITS.reportEntriesMax),
    totals: { ...totals, running: running.length },
    ...compensationOf(run),
  };
};

/** What somebody has written about one of very many entries is found in full where it was said. */
const brief = ({ note: said, ...entry }: Entry): Entry =>
  said === undefined ? entry : { ...entry, note: boundedText(said, NOTE_LENGTH) };
const NOTE_LENGTH = 200;
type Entry = EffectsReport['inDoubt'][number];

/** What became of undoing the effects, once that is over. */
const compensationOf = ({ undo }: LiveRun): Pick<EffectsReport, 'compensation'> => {
  if (undo?.status !== 'over') return {};
  const { outcome, undone, list } = undo;
  const left = list.slice(0, list.length - undone);
  const held = left.slice(0, LIMITS.reportEntriesMax).map(({ stepId, tool }) => ({ stepId, tool }));
  return { compensation: { outcome, undone, held, heldTotal: left.length } };
};

/** Who may be at it, of what is not over yet. */
const noteOf = (holder: Claimed | null, { status }: Attempt): { readonly note?: string } => {
  if (status === 'doubtful') return {};
  return { note: holder === null ? 'nobody is known to have begun it' : `held by session ${holder.session}` };
};

/** An effect of a run that has ended was settled afterwards: its report is to say so. */
export const amendReport = (
  draft: RunDraft,
  { stepId, attempt }: { readonly stepId: string; readonly attempt: number },
  change: string,
): void => {
  const { amendment } = draft;
  draft.amendment =
    amendment === null ? { stepId, attempt, change, more: 0 } : { ...amendment, more: amendment.more + 1 };
};

/**
 * The report as it is by now, once for all that was settled: it names very many effects, and so do those that are settled
 * together. Said at the end of each batch, and before an event that could be the run's last one.
 */
export const sayAmended = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  const { amendment } = draft;
  if (run === undefined || amendment === null) return;
  const { stepId, attempt, change, more } = amendment;
  const told = more === 0 ? change : `${change}, and ${more} more`;
  draft.amendment = null;
  const report = effectsReport(run, env);
  record(draft, runEvent('ReportAmended', { stepId, attempt, change: told, report, spent: run.spent }));
};
