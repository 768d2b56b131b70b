import {
  amountsBeyond,
  exceeded,
  hasEffect,
  isShare,
  releaseReserved,
  runEvent,
  shortages,
  usedUnder,
  type Amount,
  type Amounts,
  type LiveRun,
  type Shortage,
  type ToolPin,
} from '@holdfast/events';
import { exhaust } from './exhaust.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { attemptsOf, heldBack, isAboveLimits, mayBeGivenBack, spentForSure } from './given-back.js';
import { askGrant, grantDue, grantShortage } from './grant.decide.js';

/** What an attempt reserves beside the call of its tool. What settles a doubt inherits what is reserved already. */
export const reservationFor = (pin: ToolPin, attempt: number, as: { settling: boolean; turn: boolean }): Amounts => {
  if (as.settling) return {};
  const first = attempt === 0 ? 1 : 0;
  const turns = as.turn ? { turns: first } : {};
  return { steps: first, ...turns, effects: hasEffect(pin.policy) ? 1 : 0, ...pin.cost };
};

/** An attempt that its limits do not allow now. */
export type Short = {
  readonly stepId: string;
  /** Limits of the run itself. */
  readonly own: readonly Shortage[];
  /** What must be granted to the run in all, where that is not enough. */
  readonly need: Amounts | null;
};

/** Why an attempt may not be scheduled now, or null. Whatever it reserves is asked for before anything is sent. */
export const shortOf = (run: LiveRun, stepId: string, wanted: Amounts, env: Env): Short | null => {
  const { limits, grant } = run.budget;
  const spent = countedFor(run, env);
  const own = limits === null ? [] : shortages(limits.amounts, spent, wanted);
  const need = grant === null ? null : grantShortage(grant, amountsBeyond(spent, grant.elsewhere), wanted);
  return own.length === 0 && need === null ? null : { stepId, own, need };
};

/** What counts against the limits: all of it, unless a test has switched off why. */
const countedFor = (run: LiveRun, { rules }: Env): Amounts => {
  if (rules.reserveBeforeDispatch && rules.keptWhileInDoubt) return run.spent;
  const left = attemptsOf(run).filter(({ status }) => !rules.reserveBeforeDispatch || status === 'doubtful');
  return left.reduce((spent, { reservation }) => releaseReserved(spent, reservation), run.spent);
};

/** Something did not fit: the run waits for what may be given back, or it has used up what it had. Answers what it waits for. */
export const ranOut = (draft: RunDraft, shorts: readonly Short[], env: Env): readonly string[] => {
  const waits = new Set<string>();
  for (const { stepId, own, need } of shorts) {
    const run = liveRun(draft);
    if (run === undefined || run.budget.stop !== null) return [];
    const hopeless = own.filter((shortage) => !mayBeGivenBack(run, shortage));
    if (hopeless.length > 0) exhaust(draft, { stepId, short: hopeless, why: '' }, env);
    else if (own.length > 0) waits.add(`its budget for ${heldBack(own)}`);
    else if (need !== null) askGrant(draft, need, env.now).forEach((wait) => waits.add(wait));
  }
  return [...waits];
};

/**
 * More was used than was reserved, or than is allowed since: that is seen afterwards, and stops the run. What nobody has
 * begun is closed first.
 */
export const stopWhatIsExceeded = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || isPastStopping(run) || run.budget.limits === null) return;
  const short = isAboveLimits(run) ? exceeded(run.budget.limits.amounts, spentForSure(run)) : [];
  if (short.length > 0) exhaust(draft, { stepId: null, short, why: '' }, env);
};

export const WARN_PERCENT = 90;

/** Once for each limit: most of it is used or reserved. */
export const warnOfLimits = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || run.end !== null || run.budget.limits === null) return;
  const { warned, limits } = run.budget;
  const warn = (limit: string, used: Amount, most: Amount) => {
    if (warned.includes(limit) || !isShare(limit, used, most, WARN_PERCENT)) return;
    record(draft, runEvent('BudgetWarned', { limit, most, used }));
  };
  for (const [name, most] of draft.events.length === 0 ? [] : Object.entries(limits.amounts)) {
    if (name !== 'money') warn(name, usedUnder(run.spent, name), most);
  }
  warn('wallMs', env.now - run.acceptedAt, run.deadlineAt - run.acceptedAt);
  if (limits.idleMs !== undefined && run.budget.idleSince !== null) {
    warn('idleMs', env.now - run.budget.idleSince, limits.idleMs);
  }
};

/** How long the run has made no progress, where that is bounded. Waiting for a person does not count. */
export const watchIdleTime = (draft: RunDraft, env: Env): void => {
  let run = liveRun(draft);
  if (run === undefined || isPastStopping(run) || run.budget.limits?.idleMs === undefined) return;
  if (isWaitingForAPerson(run)) return;
  if (run.budget.idleSince === null) {
    record(draft, runEvent('IdleClockStarted', { since: env.now }));
    run = liveRun(draft) ?? run;
  }
  const most = run.budget.limits?.idleMs ?? 0;
  const used = env.now - (run.budget.idleSince ?? env.now);
  if (used < most) return;
  const short = [{ name: 'idleMs', kind: 'idleMs', most, used, wanted: 0 }];
  exhaust(draft, { stepId: null, short, why: `no progress for ${used} ms, ${most} are allowed` }, env);
};

const isPastStopping = (run: LiveRun): boolean => run.end !== null || run.cancel !== null || run.budget.stop !== null;

/** A question is open, or somebody has paused the run. */
const isWaitingForAPerson = (run: LiveRun): boolean =>
  run.paused !== null || Object.values(run.escalations).some(({ kind }) => kind !== 'conflict');

/** The moments at which time alone leads to something for the budget, epoch ms. */
export const budgetDue = (run: LiveRun): readonly number[] => {
  const { limits, idleSince, warned } = run.budget;
  if (run.end !== null || limits === null) return [];
  const due: number[] = [grantDue(run)];
  const wallMs = run.deadlineAt - run.acceptedAt;
  if (!warned.includes('wallMs')) due.push(run.acceptedAt + Math.ceil((wallMs * WARN_PERCENT) / 100));
  if (limits.idleMs === undefined || idleSince === null || run.budget.stop !== null) return due;
  if (!warned.includes('idleMs')) due.push(idleSince + Math.ceil((limits.idleMs * WARN_PERCENT) / 100));
  return [...due, idleSince + limits.idleMs];
};
