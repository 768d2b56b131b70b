import type { RequestOf } from '@holdfast/contracts';
import { runEvent, steerLimits, type LiveRun } from '@holdfast/events';
import { forEachNames, type Budget } from '@holdfast/programs';
import { beyondGiven } from './budget-answer.decide.js';
import { changeableRun } from './changeable.js';
import { record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { refuse } from './refuse.js';

type Steering = RequestOf<'SteerRun'>['data'];

/** Other bounds for a run that is under way: all that is asked for, or nothing and why. */
export const decideSteer = (draft: RunDraft, request: RequestOf<'SteerRun'>, env: Env): void => {
  const run = changeableRun(draft, request);
  if (run === undefined) return;
  const { data, principal } = request;
  const problems = [deadlineProblem(run, data, env), windowProblem(run, data), limitsProblem(run, data)];
  const message = problems.filter((problem) => problem !== null).join('; ');
  if (message !== '') return refuse(draft, request, { code: 'invalid_request', message });
  const { requestId, reason = '', deadlineMs, windows, limits } = data;
  record(
    draft,
    runEvent('RunSteered', {
      requestId,
      principal,
      reason,
      ...(deadlineMs === undefined ? {} : { deadlineAt: env.now + deadlineMs }),
      ...(windows === undefined ? {} : { windows }),
      ...(limits === undefined ? {} : newLimits(run, limits)),
    }),
    principal,
  );
};

/** Other limits answer the question that is asked about the ones before. */
const newLimits = ({ budget, escalations }: LiveRun, limits: Budget) => {
  if (budget.limits === null) return {};
  const withdraws = Object.values(escalations).flatMap(({ kind, seq }) => (kind === 'budget' ? [seq] : []));
  return { limits: steerLimits(budget.limits, limits), ...(withdraws.length === 0 ? {} : { withdraws }) };
};

/** Keys outlive the run, as they had to when it was accepted. */
const deadlineProblem = (run: LiveRun, { deadlineMs }: Steering, env: Env): string | null => {
  if (deadlineMs === undefined) return null;
  const wholeMs = env.now + deadlineMs - run.acceptedAt;
  const short = Object.entries(run.tools).filter(
    ([, { policy, keyTtlMs = 0 }]) =>
      policy === 'keyed' && keyTtlMs <= wholeMs && wholeMs > run.deadlineAt - run.acceptedAt,
  );
  if (short.length === 0) return null;
  const named = short.map(([ref, { keyTtlMs }]) => `${ref} remembers a key for ${keyTtlMs} ms`);
  return `deadlineMs: the run would take ${wholeMs} ms in all, but ${named.join(', ')}`;
};

const windowProblem = (run: LiveRun, { windows }: Steering): string | null => {
  const known = forEachNames(run.program);
  const unknown = Object.keys(windows ?? {}).filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  const there = known.length === 0 ? 'the plan has none' : `the plan has ${known.slice(0, 20).join(', ')}`;
  return `windows: there is no forEach ${unknown.slice(0, 20).join(', ')}; ${there}`;
};

const limitsProblem = (run: LiveRun, { limits }: Steering): string | null => {
  if (limits === undefined) return null;
  if (run.budget.limits === null) return 'limits: the run has none that could be changed';
  const beyond = beyondGiven(run, steerLimits(run.budget.limits, limits));
  return beyond === null ? null : `limits: ${beyond}`;
};
