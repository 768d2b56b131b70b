import { outcome, stepAt } from '@holdfast/programs';
import { DEFAULTS } from '../limits.js';
import { cut } from '../text.js';
import type { LiveRun, StepFailure, StepState } from './run.state.js';

/** Nothing new may be scheduled: cancelled, ended, stopped, or a step has failed for good. */
export const isStopping = (run: LiveRun): boolean =>
  run.cancel !== null || run.end !== null || isStopped(run) || hasFailed(run);

/** Something is used up or goes in a circle, and nobody is asked about it, or a person has said that it ends. */
export const isStopped = (run: LiveRun): boolean => run.budget.stop !== null && !run.budget.stop.asks;

export const hasFailed = (run: LiveRun): boolean => outcome(run.program, run.input, run.progress).status === 'failed';

/** Keeps why the plan has failed; what fails after that says nothing about it. */
export const noteFailure = (run: LiveRun, { stepId, code, message }: StepFailure): LiveRun =>
  run.failure === null && run.end === null && hasFailed(run)
    ? { ...run, failure: { stepId, code, message: cut(message, FAILURE_LENGTH) } }
    : run;
const FAILURE_LENGTH = 1_000;

/** A failure as a model is told it. */
export const whyOf = ({ code, message }: Pick<StepFailure, 'code' | 'message'>): string =>
  `${cut(message, 4 * FAILURE_LENGTH)} (${code})`;

export const triesMaxOf = (run: LiveRun, stepId: string): number =>
  stepAt(run.program, stepId).retry?.triesMax ?? DEFAULTS.triesMax;

export const deathsMaxOf = (run: LiveRun, stepId: string): number =>
  stepAt(run.program, stepId).deathsMax ?? DEFAULTS.deathsMax;

/**
 * Whether a doubt of a `keyed` step may be settled by calling again with the same key, as far as the run goes; its key
 * window is judged apart. The coordinator calls where this holds, the reconciler asks where it does not.
 */
export const maySettleAgain = (run: LiveRun, step: StepState): boolean =>
  run.paused === null && maySettleOnceResumed(run, step);

/** The same as if nobody had paused the run. */
export const maySettleOnceResumed = (run: LiveRun, step: StepState): boolean =>
  !isStopping(run) && step.tries < triesMaxOf(run, step.stepId) && step.deaths < deathsMaxOf(run, step.stepId);
