import type { RunEventData } from '../run/run.events.js';
import { openStep, withStep } from '../run/run.parts.js';
import type { Attempt, LiveRun, StepState } from '../run/run.state.js';
import { addAmounts, callsKind, largerAmounts, minusOrNone, only, type Amounts } from './amounts.js';
import type { RunBudget } from './budget.state.js';
import { settleReserved } from './reserve.js';

/** What a call itself uses up, as its tool reports it; the rest follows from what became of the attempt. */
const isReported = (kind: string): boolean => kind.startsWith('tokens') || kind.startsWith('money');
const isCall = (kind: string): boolean => kind.startsWith('calls');

export const onlyReported = (amounts: Amounts): Amounts => only(amounts, isReported);

export const noBudget: RunBudget = { limits: null, given: null, warned: [], stop: null, idleSince: null, grant: null };

/** What a scheduled attempt holds. Every attempt is a call of its tool; one that settles a doubt repeats the same call. */
export const reservationOf = ({
  reservation,
  tool,
  settling,
}: Pick<RunEventData<'StepScheduled'>, 'reservation' | 'tool' | 'settling'>): Amounts =>
  settling ? reservation : { ...reservation, [callsKind(tool)]: 1 };

/** The part of a reservation that an attempt can give back: a step, or turn of a model, that was begun stays counted. */
export const heldBy = (reservation: Amounts): Amounts =>
  only(reservation, (kind) => kind !== 'steps' && kind !== 'turns');

const spentOf = (attempts: readonly Attempt[]): Amounts =>
  attempts.reduce<Amounts>((sum, { reservation }) => addAmounts(sum, reservation), {});

/**
 * These attempts of the step are over and left nothing behind but `used`. While another attempt of it may still act, it
 * lives on what they had reserved. A run that was accepted before there were limits is counted as it was counted then:
 * nothing is given back.
 */
const settled = (run: LiveRun, step: StepState | undefined, gone: readonly Attempt[], used: Amounts): LiveRun => {
  if (step === undefined || run.budget.limits === null) return run;
  const left = step.attempts.filter((attempt) => !gone.includes(attempt));
  const [heir, ...others] = left;
  if (heir === undefined) return { ...run, spent: settleReserved(run.spent, spentOf(gone), used) };
  // A call that was made stays counted, whatever becomes of the one that repeats it.
  const handedOn = only(spentOf(gone), (kind) => !(isCall(kind) && kind in used));
  const reservation = addAmounts(heir.reservation, handedOn);
  const emptied = gone.flatMap((attempt) => (step.attempts.includes(attempt) ? [{ ...attempt, reservation: {} }] : []));
  const attempts = [...emptied, { ...heir, reservation }, ...others].toSorted((a, b) => a.attempt - b.attempt);
  return withStep({ ...run, spent: addAmounts(run.spent, onlyReported(used)) }, { ...step, attempts });
};

const attemptOf = (step: StepState | undefined, attempt: number): readonly Attempt[] =>
  step?.attempts.filter((known) => known.attempt === attempt) ?? [];

/** Never begun: all is given back. `used` is there where it was begun and stopped. */
export const releaseAttempt = (
  run: LiveRun,
  step: StepState | undefined,
  { attempt, used }: { readonly attempt: number; readonly used?: Amounts | undefined },
): LiveRun => {
  const attempts = attemptOf(step, attempt);
  const left = used === undefined ? {} : addAmounts(only(spentOf(attempts), isCall), used);
  return settled(run, step, attempts, left);
};

/** Called, without effect: the call counts, and what it says to have used, or all that it might have. */
export const settleFailed = (
  run: LiveRun,
  step: StepState | undefined,
  { attempt, used, effect }: RunEventData<'StepFailed'>,
): LiveRun => {
  // Given up by a person without anybody knowing: it may all have been used.
  if (effect === 'unknown') return run;
  const attempts = attemptOf(step, attempt);
  const reserved = spentOf(attempts);
  return settled(run, step, attempts, addAmounts(only(reserved, isCall), used ?? onlyReported(reserved)));
};

/** Done: the call and its effect count, and what it says to have used in place of what it might have. */
export const settleSucceeded = (run: LiveRun, step: StepState, data: RunEventData<'StepSucceeded'>): LiveRun => {
  const { used } = data;
  if (used === undefined) return run;
  const reserved = onlyReported(spentOf(step.attempts));
  if (attemptOf(step, data.attempt).length > 0) {
    // An earlier call under the same key may have used it all, and nobody says so any more.
    const all = step.attempts.length === 1 ? used : largerAmounts(reserved, used);
    return { ...run, spent: settleReserved(run.spent, reserved, all) };
  }
  // An attempt that was run again since: it was counted as spent, and so is the one that is under way now.
  const beyond = Object.entries(used).map(([kind, amount]) => [kind, minusOrNone(kind, amount, reserved[kind] ?? 0)]);
  return { ...run, spent: addAmounts(run.spent, Object.fromEntries(beyond) as Amounts) };
};

/** The attempts in doubt were found not to have acted. That they called is not known better than before, so that counts. */
export const settleAbsent = (run: LiveRun, stepId: string, attempts: readonly Attempt[]): LiveRun => {
  const reported = attempts.reduce<Amounts>((sum, { used }) => addAmounts(sum, used ?? {}), {});
  return settled(run, openStep(run, stepId), attempts, addAmounts(only(spentOf(attempts), isCall), reported));
};

/** What is in doubt is kept, and if its holder has reported more than it had reserved, all of that. */
export const keepReported = (
  run: LiveRun,
  attempt: Attempt,
  used: Amounts | undefined,
): readonly [LiveRun, Attempt] => {
  if (used === undefined) return [run, attempt];
  const reservation = largerAmounts(attempt.reservation, used);
  const spent = settleReserved(run.spent, attempt.reservation, reservation);
  return [
    { ...run, spent },
    { ...attempt, reservation, used },
  ];
};

export const applyBudgetChanged = (
  run: LiveRun,
  { limits }: Pick<RunEventData<'BudgetChanged'>, 'limits'>,
): LiveRun => {
  const before = run.budget.limits?.amounts ?? {};
  const { stop } = run.budget;
  return withBudget(run, {
    limits,
    warned: run.budget.warned.filter((name) => before[name] === limits.amounts[name]),
    stop: stop?.reason === 'budget_exhausted' ? null : stop,
  });
};

export const applyBudgetExhausted = (run: LiveRun, { detail, policy }: RunEventData<'BudgetExhausted'>): LiveRun =>
  withBudget(run, { stop: { reason: 'budget_exhausted', detail, asks: policy === 'ask' } });

export const withBudget = (run: LiveRun, change: Partial<RunBudget>): LiveRun => ({
  ...run,
  budget: { ...run.budget, ...change },
});

/** After these a run counts as having moved, or as waiting for a person: how long it has been idle is counted anew. */
const movesOn: ReadonlySet<string> = new Set([
  'StepSucceeded',
  'StepFailed',
  'DoubtSettled',
  'EscalationOpened',
  'EscalationAnswered',
  'BudgetChanged',
  'RunPaused',
  'RunResumed',
  'RunSteered',
  'ChildStarted',
  'ChildEnded',
]);

export const stopIdleClock = (run: LiveRun, type: string): LiveRun =>
  run.budget.idleSince !== null && movesOn.has(type) ? withBudget(run, { idleSince: null }) : run;

/** A person has answered what the run was stopped for. */
export const applyStopAnswered = (run: LiveRun, choice: RunEventData<'EscalationAnswered'>['choice']): LiveRun => {
  const { stop, grant } = run.budget;
  if (choice === 'end') return withBudget(run, { stop: stop && { ...stop, asks: false } });
  if (choice === 'continue') {
    const loop = run.loop && { ...run.loop, calls: [], warned: [] };
    return { ...withBudget(run, { stop: null }), loop };
  }
  // The tenant may have more by now: it is asked anew.
  return withBudget(run, { stop: null, grant: grant && { ...grant, denied: null } });
};
