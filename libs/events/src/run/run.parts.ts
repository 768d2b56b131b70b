import { spentOfGrant } from '../budget/elsewhere.js';
import { Defect } from '../defect.js';
import { LIMITS } from '../limits.js';
import { isAboutStep, type Attempt, type Doubt, type EndedRun, type LiveRun, type StepState } from './run.state.js';
import { awaitsCompensation } from './undo.js';

/** The open step with an id. */
export const openStep = (run: LiveRun | undefined, stepId: string): StepState | undefined =>
  run?.steps.find((step) => step.stepId === stepId);

/** The open step, or a `Defect`: an event about a step that is not open contradicts its history. */
export const mustHaveStep = (run: LiveRun, stepId: string): StepState => {
  const step = openStep(run, stepId);
  if (step === undefined) throw new Defect(`run ${run.runId} has no open step ${stepId}`);
  return step;
};

/** The run with the step as it is now, in its place or as the last one. */
export const withStep = (run: LiveRun, step: StepState): LiveRun => {
  const at = run.steps.findIndex((known) => known.stepId === step.stepId);
  return { ...run, steps: at < 0 ? [...run.steps, step] : run.steps.with(at, step) };
};

export const withoutStep = (run: LiveRun, stepId: string): LiveRun => {
  const escalations = Object.entries(run.escalations).filter(
    ([, open]) => open.stepId !== stepId || !isAboutStep(open),
  );
  return {
    ...run,
    steps: run.steps.filter((step) => step.stepId !== stepId),
    escalations: Object.fromEntries(escalations),
  };
};

export const changeAttempt = (
  run: LiveRun,
  stepId: string,
  attempt: number,
  change: (attempt: Attempt) => Attempt,
): LiveRun => {
  const step = mustHaveStep(run, stepId);
  if (!step.attempts.some((known) => known.attempt === attempt)) {
    throw new Defect(`step ${stepId} of run ${run.runId} has no open attempt ${attempt}`);
  }
  const attempts = step.attempts.map((known) => (known.attempt === attempt ? change(known) : known));
  return withStep(run, { ...step, attempts });
};

/** The attempt is known not to act and not to have acted. */
export const withoutAttempt = (run: LiveRun, stepId: string, attempt: number): LiveRun => {
  const step = mustHaveStep(run, stepId);
  const attempts = step.attempts.filter((known) => known.attempt !== attempt);
  return withStep(run, { ...step, attempts, doubt: doubtAbout(step.doubt, attempts) });
};

/** A doubt goes on about an attempt that may still have acted, so that the tool can be asked about it. */
const doubtAbout = (doubt: Doubt | null, attempts: readonly Attempt[]): Doubt | null => {
  if (doubt === null || attempts.some(({ attempt }) => attempt === doubt.attempt)) return doubt;
  const left = attempts.findLast(({ status }) => status === 'doubtful');
  return left === undefined ? doubt : { ...doubt, attempt: left.attempt };
};

/** Nothing of the run may still act, and nobody is asked about it. */
export const isSettled = (run: LiveRun): boolean =>
  run.steps.every((step) => step.attempts.length === 0) && Object.keys(run.escalations).length === 0;

/** A run that has ended and in which nothing is left to settle costs little from then on. */
export const closeIfSettled = (run: LiveRun): LiveRun | EndedRun => {
  if (run.end === null) return run;
  if (!isSettled(run) || awaitsCompensation(run)) return run;
  const { runId, requestId, requestHash, end, budget } = run;
  const asked = run.closedQuestions.filter(({ how }) => how !== 'withdrawn').slice(-LIMITS.answeredKeptMax);
  const closedQuestions = asked.length === 0 ? {} : { closedQuestions: asked };
  const bill = budget.grant === null ? {} : { bill: { tenant: budget.grant.tenant, spent: spentOfGrant(run) } };
  return { status: 'ended', runId, requestId, requestHash, end, ...closedQuestions, ...bill };
};
