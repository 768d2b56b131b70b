import {
  attemptId,
  hasEffect,
  isRecovering,
  isStopped,
  isStopping,
  maySettleAgain,
  maySettleOnceResumed,
  type Attempt,
  type LiveRun,
  type StepState,
  type ToolPin,
} from '@holdfast/events';
import type { Env, FirstClaim } from './env.js';
import { isAboveLimits } from './given-back.js';

export const pinOf = (run: LiveRun, step: StepState): ToolPin => {
  const pin = run.tools[step.tool];
  if (pin === undefined) throw new Error(`run ${run.runId} has no tool ${step.tool}`);
  return pin;
};

export const idOf = (run: LiveRun, step: StepState, attempt: Attempt): string =>
  attemptId({ runId: run.runId, stepId: step.stepId, attempt: attempt.attempt });

/** The session that holds the attempt and its deadline, by history or by the claims log. */
export const holderOf = (env: Env, run: LiveRun, step: StepState, attempt: Attempt): Claimed | null => {
  if (attempt.holder) {
    const { session, deadline, claimOffset } = attempt.holder;
    return { kind: 'claimed', session, deadline, offset: claimOffset };
  }
  const first = env.firsts.get(idOf(run, step, attempt));
  return first?.kind === 'claimed' ? first : null;
};
export type Claimed = Extract<FirstClaim, { kind: 'claimed' }>;

/** Whether a call with the key of the step may still be made by a new attempt, for every attempt that may have acted. */
export const keyWindowOpen = (env: Env, run: LiveRun, step: StepState, startBy: number): boolean => {
  const pin = pinOf(run, step);
  if (pin.keyTtlMs === undefined) return false;
  if (!env.rules.keyWindow) return true;
  const firstIssue = step.attempts.length === 0 ? env.now : step.firstIssueAt;
  const known = step.attempts.map((attempt) => attempt.holder?.deadline ?? attempt.startBy + attempt.timeoutMs);
  const last = Math.max(startBy + pin.timeoutMs, ...known);
  return last + pin.settleMs < firstIssue + pin.keyTtlMs;
};

/** Whether a doubt may be settled by calling again with the same key: the plan goes on, tries and the key window are left. */
export const maySettleByCall = (env: Env, run: LiveRun, step: StepState): boolean =>
  maySettleAgain(run, step) && isLeftToACall(env, run, step);

/** The same as if nobody had paused the run: such a doubt waits for it to be resumed. */
export const isLeftToACall = (env: Env, run: LiveRun, step: StepState): boolean =>
  step.policy === 'keyed' &&
  maySettleOnceResumed(run, step) &&
  keyWindowOpen(env, run, step, env.now + env.settings.startByMs);

/** Whether the reconciler asks the tool about a doubt of the step. */
export const isAskable = (env: Env, run: LiveRun, step: StepState): boolean =>
  step.policy === 'verifiable' ||
  (step.policy === 'keyed' && pinOf(run, step).verify && !maySettleByCall(env, run, step));

/** Why an attempt must be closed now, derived from state, so that a new owner derives it again; null if it need not. */
export const mustClose = (env: Env, run: LiveRun, step: StepState, attempt: Attempt): CloseCause | null => {
  if (step.policy === 'pure' || attempt.status !== 'open') return null;
  if (isStopping(run)) return run.cancel === null && isStopped(run) ? 'budget' : 'cancel';
  if (env.refused.has(idOf(run, step, attempt))) return 'refused';
  if (env.rules.closeAtStartBy && env.now >= attempt.startBy) return 'start_by';
  if (env.rules.pauseCloses && run.paused !== null) return 'pause';
  if (attempt.settling) return env.now >= keyWindowEnd(run, step) ? 'window_over' : null;
  if (env.rules.hold && hasEffect(step.policy) && isRecovering(run)) return 'hold';
  // A limit was lowered: what was reserved under the one before is reserved anew, as far as it fits.
  return isAboveLimits(run) ? 'budget' : null;
};
export type CloseCause = 'cancel' | 'budget' | 'refused' | 'start_by' | 'window_over' | 'hold' | 'pause';

/** Latest deadline at which the key is still remembered, epoch ms. */
export const keyWindowEnd = (run: LiveRun, step: StepState): number => {
  const pin = pinOf(run, step);
  return step.firstIssueAt + (pin.keyTtlMs ?? 0) - pin.settleMs;
};
