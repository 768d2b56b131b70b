import type { RequestOf } from '@holdfast/contracts';
import {
  beyondLimits,
  exceeded,
  runEvent,
  shortageWords,
  steerLimits,
  type Escalation,
  type Limits,
  type LiveRun,
} from '@holdfast/events';
import type { Budget } from '@holdfast/programs';
import { liveRun, record, type RunDraft } from './draft.js';
import { spentForSure } from './given-back.js';
import type { Refusal } from './refuse.js';

type Answer = Pick<RequestOf<'AnswerEscalation'>['data'], 'choice' | 'budget'>;

/** Why an answer cannot be taken as one about the budget; null where it can, or is about something else. */
export const budgetProblem = (run: LiveRun, { kind }: Escalation, { choice, budget }: Answer): Refusal | null => {
  const raises = kind === 'budget' && choice === 'raise';
  if (budget !== undefined && !raises) {
    return {
      code: 'invalid_request',
      message: 'a budget goes only with the answer raise to a question about the budget',
    };
  }
  if (!raises || run.budget.limits === null) return null;
  if (budget === undefined) {
    if (run.budget.grant?.denied != null) return null;
    return { code: 'invalid_request', message: 'budget: say what the run may use from now on' };
  }
  const limits = steerLimits(run.budget.limits, budget);
  const beyond = beyondGiven(run, limits);
  if (beyond !== null) return { code: 'invalid_request', message: `budget: ${beyond}` };
  const still = exceeded(limits.amounts, spentForSure(run));
  if (still.length === 0) return null;
  return { code: 'invalid_request', message: `budget: more is used already: ${still.map(shortageWords).join('; ')}` };
};

/** What a run has of another one is reserved there when it begins, and that one may have nothing more. */
export const beyondGiven = ({ parent, budget: { given } }: LiveRun, limits: Limits): string | null => {
  const beyond = given === null ? [] : beyondLimits(given, limits);
  if (beyond.length === 0) return null;
  return `run ${parent?.runId} has begun this one and has given it no more than ${beyond.join(', ')}`;
};

type Change = { readonly budget: Budget; readonly requestId: string };

/** The run may use something else from now on. */
export const changeLimits = (draft: RunDraft, { budget, requestId }: Change, principal: string | null): void => {
  const limits = liveRun(draft)?.budget.limits;
  if (!limits) return;
  record(draft, runEvent('BudgetChanged', { limits: steerLimits(limits, budget), principal, requestId }), principal);
};
