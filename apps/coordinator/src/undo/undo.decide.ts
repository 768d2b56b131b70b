import type { RequestOf } from '@holdfast/contracts';
import { awaitsCompensation, LIMITS, runEvent, type LiveRun, type Undo } from '@holdfast/events';
import { derivedRunId, ticketOf } from '../children/child-names.js';
import { boundedText } from '../run/bounded.js';
import { liveRun, record, type RunDraft } from '../run/draft.js';
import type { Env } from '../run/env.js';
import { amendReport } from '../run/report.js';
import { returnsOf } from '../run/returns.js';
import { undoProgram } from './undo.plan.js';

/** The step under which a run that undoes effects reports; no plan can name one like it. */
export const UNDO_STEP = '~undo';

/** A cancelled run has its effects undone as soon as nothing of it is open or in doubt: never around a doubt. */
export const compensateIfDue = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || run.undo === null || !awaitsCompensation(run)) return;
  const { undo } = run;
  if (undo.status === 'running') {
    if (env.now < undo.deadlineAt + env.settings.cancelMs) return;
    return over(draft, undo, { outcome: 'lost', detail: 'the run that undoes them says nothing', undone: 0 }, env);
  }
  if (env.rules.neverAroundADoubt && isOpen(run)) return;
  const blocked = blockOf(run, undo, env);
  if (blocked !== null) return over(draft, undo, { outcome: 'blocked', detail: blocked, undone: 0 }, env);
  if (undo.list.length === 0) return over(draft, undo, { outcome: 'blocked', detail: '', undone: 0 }, env);
  const deadlineAt = env.now + undoMs(undo, env);
  const ticket = ticketOf(run, UNDO_STEP, env);
  const undoRunId = undoRunIdOf(run.runId, ticket);
  const effects = undo.list.length;
  record(draft, runEvent('CompensationStarted', { undoRunId, ticket, effects, startedAt: env.now, deadlineAt }));
};

/** As long as any run, but no longer than the tools that undo remember a key: nothing would be undone otherwise. */
const undoMs = ({ list }: Undo, { catalogue, settings }: Env): number =>
  [...new Set(list.map(({ by }) => by))].reduce((most, by) => {
    const { policy, keyTtlMs = Infinity } = catalogue.get(by) ?? {};
    return policy === 'keyed' ? Math.min(most, keyTtlMs - 1) : most;
  }, settings.runMs);

/** Nobody knows the ticket beforehand: no step, and nobody who chooses an id, takes the name. */
const undoRunIdOf = (runId: string, ticket: string): string =>
  derivedRunId(runId, `${UNDO_STEP}-${ticket.slice(0, 8)}`, `${ticket}${UNDO_STEP}`);

/** Something may still have acted, or may act, or is asked about. */
const isOpen = (run: LiveRun): boolean =>
  run.steps.some(({ attempts }) => attempts.length > 0) || Object.keys(run.escalations).length > 0;

/** Why the effects cannot be undone in order: what was never found out stands between them. */
const blockOf = (run: LiveRun, undo: Undo, env: Env): string | null => {
  if (undo.killed === true) return 'the run was killed: nothing of it is undone';
  const { inDoubt, conflicts } = run.report.totals;
  if (!undo.whole) return 'not all effects could be remembered that would have to be undone';
  if (env.rules.neverAroundADoubt && inDoubt > 0) return `${inDoubt} effects were given up in doubt`;
  if (env.rules.neverAroundADoubt && conflicts > 0) return `${conflicts} effects are in conflict`;
  return undoProgram(run.runId, undo.list) === null ? 'tools take turns too often to be undone by one plan' : null;
};

/** The run that undoes effects is over, or was refused. */
export const decideUndoReport = (draft: RunDraft, { data }: Pick<RequestOf<'ReportChild'>, 'data'>, env: Env): void => {
  const undo = liveRun(draft)?.undo;
  const { ticket, report } = data;
  if (undo?.status !== 'running' || undo.ticket !== ticket || report.status !== 'ended') return;
  const { reason, detail, totals } = report;
  over(draft, undo, { outcome: reason, detail, undone: totals?.stepsSucceeded ?? 0 }, env);
};

/** What nobody undoes, though the run has led to it. */
const belowWords = ({ below = 0 }: Undo): string =>
  below === 0 ? '' : `${below} effects of runs that it began, and that have ended, are not undone`;

type Over = { readonly outcome: string; readonly detail: string; readonly undone: number };

const over = (draft: RunDraft, undo: Undo, { outcome, detail, undone }: Over, env: Env): void => {
  const left = undo.list.slice(0, undo.list.length - undone);
  const held = left.slice(0, LIMITS.reportEntriesMax).map(({ stepId, tool }) => ({ stepId, tool }));
  const heldTotal = left.length + (undo.below ?? 0);
  const run = liveRun(draft);
  const returns = run?.end?.keepsKey === true ? returnsOf(run) : {};
  const said = {
    outcome,
    detail: boundedText([detail, belowWords(undo)].filter((words) => words !== '').join('; ')),
    undone,
    held,
    heldTotal,
    endedAt: env.now,
    ...returns,
  };
  record(draft, runEvent('CompensationEnded', said));
  amendReport(draft, { stepId: UNDO_STEP, attempt: 0 }, `${undone} undone, ${heldTotal} still held (${outcome})`);
};
