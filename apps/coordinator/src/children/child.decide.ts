import type { RequestOf } from '@holdfast/contracts';
import {
  childGrant,
  childOf,
  DEFAULTS,
  isStopping,
  isWithinDepth,
  ITSELF,
  jsonBytes,
  LIMITS,
  runEvent,
  runIdSchema,
  type ChildRun,
  type LiveRun,
  type RunEventData,
} from '@holdfast/events';
import { budgetSchema, holdsOmitted, isRun, leafAt, type Budget, type Json, type PlanRun } from '@holdfast/programs';
import { decideUndoReport } from '../undo/undo.decide.js';
import { depthOf, derivedRunId, ticketOf } from './child-names.js';
import { boundedText, kept } from '../run/bounded.js';
import { shortOf, type Short } from '../run/budget.decide.js';
import { cancelEndsAt, childrenEndBy } from '../run/cancel-deadline.js';
import { liveRun, record, type RunDraft } from '../run/draft.js';
import type { Env } from '../run/env.js';
import { amendReport } from '../run/report.js';
import { childWish } from '../run/undo-wish.js';

/** The values of a node that begins a run, as its templates come out. */
type Begun = { readonly program: Json; readonly input: Json; readonly runId: Json };
export type ChildOutcome =
  | { readonly outcome: 'started' }
  /** Too many are under way. */
  | { readonly outcome: 'waits'; readonly missing: string }
  /** What it may use is not left. */
  | { readonly outcome: 'short'; readonly short: Short }
  | { readonly outcome: 'impossible'; readonly problem: { readonly code: string; readonly message: string } };

/** Begins the run of a step, or lets the step wait for one of that id that is under way. */
export const startChild = (draft: RunDraft, stepId: string, args: Json, env: Env): ChildOutcome => {
  const run = liveRun(draft);
  const node = run && leafAt(run.program, stepId);
  if (run === undefined || node === undefined || !isRun(node)) throw new Error(`${stepId} begins no run`);
  const begun = args as unknown as Begun;
  const childRunId = begun.runId === null ? derivedRunId(run.runId, stepId, ticketOf(run, stepId, env)) : begun.runId;
  const problem = problemOf(run, childRunId, begun);
  if (problem !== null) return { outcome: 'impossible', problem };
  const wait = node.run.waitMs === undefined ? {} : { waitUntil: env.now + node.run.waitMs };
  if (childOf(run, childRunId as string) !== undefined) {
    record(draft, runEvent('ChildAttached', { stepId, childRunId: childRunId as string, ...wait }));
    return { outcome: 'started' };
  }
  if (run.children.length >= LIMITS.childrenOpenMax) {
    return { outcome: 'waits', missing: `one of its ${LIMITS.childrenOpenMax} children to end` };
  }
  const grant = grantOf(run, stepId, budgetOf(node, begun.program), env);
  if ('short' in grant) return { outcome: 'short', short: grant.short };
  record(
    draft,
    runEvent('ChildStarted', {
      stepId,
      childRunId: childRunId as string,
      ticket: ticketOf(run, stepId, env),
      depth: depthOf(run) + 1,
      detached: node.run.detached ?? false,
      startedAt: env.now,
      bornBy: env.now + DEFAULTS.childBornMs,
      deadlineAt: deadlineOf(run, node, env),
      ...grant,
      ...wait,
    }),
  );
  return { outcome: 'started' };
};

/** What the step says that the run may use, or the program itself. */
const budgetOf = ({ run: { budget } }: PlanRun, program: Json): Budget | undefined => {
  if (budget !== undefined) return budget;
  const said = typeof program === 'object' && program !== null && 'budget' in program ? program.budget : undefined;
  return budgetSchema.safeParse(said).data;
};

type Grant = Pick<RunEventData<'ChildStarted'>, 'limits' | 'reserved' | 'tenant'>;

/** What the child gets out of what the run has left, reserved before it is begun. Nothing bounds a run of old. */
const grantOf = (
  run: LiveRun,
  stepId: string,
  budget: Budget | undefined,
  env: Env,
): Grant | { readonly short: Short } => {
  const { limits } = run.budget;
  if (limits === null) return {};
  const grant = childGrant({ limits, spent: run.spent }, budget);
  if ('short' in grant) return { short: { stepId, own: grant.short, need: null } };
  const tenant = run.budget.grant?.tenant;
  // Its tenant grants the child what it uses; here it counts for itself.
  const short = shortOf(run, stepId, tenant === undefined ? grant.reserved : ITSELF, env);
  if (short !== null) return { short };
  return { limits: grant.limits, reserved: { ...grant.reserved }, ...(tenant === undefined ? {} : { tenant }) };
};

const deadlineOf = (run: LiveRun, { run: { deadlineMs, detached } }: PlanRun, env: Env): number | null => {
  const own = env.now + (deadlineMs ?? env.settings.runMs);
  if (detached === true) return deadlineMs === undefined ? null : own;
  return Math.min(own, run.deadlineAt);
};

const problemOf = (run: LiveRun, childRunId: Json, { program, input }: Begun) => {
  if (!runIdSchema.safeParse(childRunId).success || childRunId === run.runId) {
    return { code: 'bad_run_id', message: `${JSON.stringify(childRunId)} cannot be the id of a child` };
  }
  if (depthOf(run) >= LIMITS.depthMax || run.budget.limits?.depth === 0) {
    return { code: 'too_deep', message: `runs can have runs ${LIMITS.depthMax} deep at most, or less by their budget` };
  }
  if (holdsOmitted(input) || holdsOmitted(program)) {
    return { code: 'result_too_large', message: 'the input holds a result that was too large to be kept' };
  }
  if (![input, program].every((value) => isWithinDepth(value, LIMITS.valueDepth))) {
    return { code: 'child_too_deep', message: `its program and input have more than ${LIMITS.valueDepth} levels` };
  }
  const [own, all] = [jsonBytes(input), jsonBytes(input) + jsonBytes(program)];
  if (own <= LIMITS.inlineValueBytes && all <= LIMITS.submissionBytes) return null;
  return { code: 'child_too_large', message: `its program and input have ${all} bytes` };
};

/** What the lane of a child says about it. A word about one that is not under way any more changes nothing. */
export const decideReport = (draft: RunDraft, { data }: RequestOf<'ReportChild'>, env: Env): void => {
  const run = liveRun(draft);
  const { childRunId, ticket, report } = data;
  if (run?.undo?.ticket === ticket) return decideUndoReport(draft, { data }, env);
  const child = childOf(run, childRunId);
  if (run === undefined || child === undefined || child.ticket !== ticket) return;
  if (report.status === 'accepted') {
    if (run.end === null && child.status === 'asked')
      record(draft, runEvent('ChildAccepted', { childRunId, acceptedAt: env.now }));
    return;
  }
  const { reason, detail, output, totals, used } = report;
  const value = output === undefined ? null : kept(output as Json, env);
  record(
    draft,
    runEvent('ChildEnded', {
      childRunId,
      reason,
      detail: boundedText(detail),
      ...(value === null ? {} : { output: 'omitted' in value ? value.omitted : value.value }),
      ...(totals === undefined ? {} : { totals }),
      ...(used === undefined ? {} : { used }),
      endedAt: env.now,
    }),
  );
  // What it has used was reserved until now.
  if (run.end !== null) amendReport(draft, { stepId: childRunId, attempt: 0 }, 'the run that it had begun is over');
};

/**
 * Steps that have waited long enough succeed with the word that their child goes on, once it is known to have begun.
 * Answers whether all were looked at within `eventsMax` events.
 */
export const leaveChildren = (draft: RunDraft, env: Env, eventsMax: number): boolean => {
  const run = liveRun(draft);
  if (run === undefined || isStopping(run)) return true;
  const before = draft.events.length;
  for (const { childRunId, status, waiting } of run.children) {
    if (status !== 'running') continue;
    for (const { stepId, until } of waiting) {
      if (until === null || until > env.now) continue;
      if (draft.events.length - before >= eventsMax) return false;
      record(draft, runEvent('ChildLeft', { stepId, childRunId }));
    }
  }
  return true;
};

/** Children that do not outlive the run, whether or not a step waits for them. */
export const boundChildren = ({ children }: LiveRun): readonly ChildRun[] =>
  children.filter(({ detached }) => !detached);

/** Nothing more follows in the run: its children are to be over by the same moment, or within the usual bound. */
export const stopChildren = (draft: RunDraft, reason: string, env: Env, killed = false): void => {
  const run = liveRun(draft);
  if (run === undefined || !env.rules.stopChildren) return;
  const deadlineAt = run.cancel === null ? env.now + env.settings.cancelMs : childrenEndBy(run.cancel, env);
  const sooner = (child: ChildRun) => run.cancel !== null && (child.deadlineAt ?? Infinity) > deadlineAt;
  const left = boundChildren(run).filter((child) => !child.stopped || sooner(child));
  if (left.length === 0) return;
  const children = left.map(({ childRunId: runId, ticket }) => ({ runId, ticket }));
  const mode = run.cancel?.mode === 'drain' ? { mode: 'drain' as const } : {};
  const wish = killed ? { compensate: false } : childWish(run.cancel);
  record(draft, runEvent('ChildrenStopped', { reason, deadlineAt, children, ...mode, ...wish }));
};

/** A run that is cancelled, obsolete or has failed takes its children along. */
export const stopChildrenIfStopping = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || run.end !== null || run.children.length === 0 || !isStopping(run)) return;
  stopChildren(draft, run.cancel?.reason ?? 'a step of the run that began it has failed', env);
};

/** Whether a run that is to end waits for children that were told so, as long as there is time for that. */
export const waitsForChildren = (run: LiveRun, env: Env): boolean => {
  const end = run.cancel === null ? Infinity : cancelEndsAt(run.cancel, env);
  return boundChildren(run).some(
    ({ stopped, deadlineAt }) => stopped && deadlineAt !== null && env.now < Math.min(deadlineAt, end),
  );
};
