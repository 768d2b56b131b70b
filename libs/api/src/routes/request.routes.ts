import type { z } from 'zod';
import {
  answerBodySchema,
  answerSchema,
  bulkAnswerSchema,
  bulkCancelBodySchema,
  cancelBodySchema,
  forkBodySchema,
  forkPlanSchema,
  forkQuerySchema,
  reasonBodySchema,
  signalBodySchema,
  steerBodySchema,
  submitBodySchema,
  tenantBudgetBodySchema,
} from '../requests.js';
import type { Role } from '../roles.js';
import { ofRun, ofStep, ofTenant } from './params.js';
import { route } from './route.js';

const answersOf = <S extends z.ZodType>(body: S) =>
  ({
    200: { says: 'The coordinator has answered: `accepted`, or `unchanged` where it was known already', body },
    202: { says: 'The request is in the log and will be read; no answer came within `waitMs`', body },
  }) as const;
const problems = [404, 409, 413, 415, 422, 503] as const;
const answers = answersOf(answerSchema);

/** Somebody with this role asks for a change of one run. */
const ofRunBy =
  (role: Role) =>
  <const I extends string, const P extends string, B extends z.ZodType>(id: I, path: P, summary: string, body: B) =>
    route({ id, role, method: 'POST', path, tag: 'requests', summary, params: ofRun, body, answers, problems });
const byOperator = ofRunBy('operator');

/**
 * What changes something. All of it goes into the log, where a coordinator reads it; an answer of 2xx means that the log
 * has acknowledged it. The same `requestId` (or `Idempotency-Key` header) again is the same request.
 */
export const requestRoutes = {
  submitRun: route({
    id: 'submitRun',
    role: 'operator',
    method: 'POST',
    path: '/v1/runs',
    tag: 'requests',
    summary: 'Submit a run',
    description: 'The run id is chosen by who submits: the same submission again changes nothing.',
    body: submitBodySchema,
    answers,
    problems,
  }),
  forkRun: route({
    id: 'forkRun',
    role: 'operator',
    method: 'POST',
    path: '/v1/runs/{runId}/fork',
    tag: 'requests',
    summary: 'Begin a new run that takes over what a run that is over has done',
    description: 'Refused where an effect would be made twice that is not named in `repeat`: `details` says which.',
    params: ofRun,
    body: forkBodySchema,
    answers,
    problems,
  }),
  planFork: route({
    id: 'planFork',
    role: 'viewer',
    method: 'GET',
    path: '/v1/runs/{runId}/fork',
    tag: 'runs',
    summary: 'What a fork would take over, and what it would do again',
    params: ofRun,
    query: forkQuerySchema.strict(),
    answers: { 200: { says: 'The plan', body: forkPlanSchema } },
    problems: [404],
  }),
  cancelRun: byOperator('cancelRun', '/v1/runs/{runId}/cancel', 'Cancel a run', cancelBodySchema),
  killRun: ofRunBy('admin')(
    'killRun',
    '/v1/runs/{runId}/kill',
    'End a run at once, waiting for nothing',
    reasonBodySchema,
  ),
  pauseRun: byOperator('pauseRun', '/v1/runs/{runId}/pause', 'Start nothing new until it is resumed', reasonBodySchema),
  resumeRun: byOperator('resumeRun', '/v1/runs/{runId}/resume', 'Go on with a paused run', reasonBodySchema),
  steerRun: byOperator('steerRun', '/v1/runs/{runId}/steer', 'Other bounds for a run under way', steerBodySchema),
  answerQuestion: ofRunBy('approver')(
    'answerQuestion',
    '/v1/runs/{runId}/answer',
    'Answer a question',
    answerBodySchema,
  ),
  signalStep: route({
    id: 'signalStep',
    role: 'approver',
    method: 'POST',
    path: '/v1/runs/{runId}/signals/{stepId}',
    tag: 'requests',
    summary: 'Give a run what one of its steps waits for from outside',
    description:
      'A run waits for something from outside with an `ask` step. The value is the answer `answer` to its open question.',
    params: ofStep,
    body: signalBodySchema,
    answers,
    problems,
  }),
  cancelRuns: route({
    id: 'cancelRuns',
    role: 'operator',
    method: 'POST',
    path: '/v1/cancels',
    tag: 'requests',
    summary: 'Cancel all runs that have all of these labels',
    body: bulkCancelBodySchema,
    answers: answersOf(bulkAnswerSchema),
    problems,
  }),
  setTenantBudget: route({
    id: 'setTenantBudget',
    role: 'admin',
    method: 'PUT',
    path: '/v1/tenants/{tenant}/budget',
    tag: 'requests',
    summary: 'What all runs of a tenant may use together',
    params: ofTenant,
    body: tenantBudgetBodySchema,
    answers,
    problems,
  }),
} as const;
