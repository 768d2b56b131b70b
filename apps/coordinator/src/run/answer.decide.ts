import type { RequestOf } from '@holdfast/contracts';
import { openStep, runEvent, type Choice, type Escalation, type RunEventData } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { answerRefusal } from './answer-refusal.js';
import { kept } from './bounded.js';
import { budgetProblem, changeLimits } from './budget-answer.decide.js';
import { settleAbsent, settleApplied } from './doubt.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { findQuestion, replyNotOpen } from './question-memory.js';
import { amendReport, sayAmended } from './report.js';
import { refuse } from './refuse.js';

/** A person's answer to what no machine can decide. The first that history has counts, and no other. */
export const decideAnswer = (
  draft: RunDraft,
  { request, at }: { readonly request: RequestOf<'AnswerEscalation'>; readonly at: number },
  env: Env,
): void => {
  const { data, principal } = request;
  const run = liveRun(draft);
  const escalation = run && findQuestion(run, data.escalation, data.stepId);
  if (run === undefined || escalation === undefined) return replyNotOpen(draft, request);
  const refusal = answerRefusal({ run, escalation, request, at }, env);
  if (refusal !== null) return refuse(draft, request, refusal);
  const problem = budgetProblem(run, escalation, data);
  if (problem !== null) return refuse(draft, request, problem);
  sayAmended(draft, env);
  record(
    draft,
    runEvent('EscalationAnswered', {
      stepId: escalation.stepId,
      attempt: escalation.attempt,
      escalationSeq: escalation.seq,
      choice: data.choice,
      principal,
      requestId: data.requestId,
      note: data.note ?? '',
      givenAt: at,
      ...(data.value === undefined ? {} : { value: data.value }),
      ...(data.proof === undefined ? {} : { proof: data.proof }),
    }),
    principal,
  );
  if (data.budget !== undefined)
    return changeLimits(draft, { budget: data.budget, requestId: data.requestId }, principal);
  // Nobody has looked later than now, whatever their clock says.
  const askedAt = Math.min(data.lookedAt ?? env.now, env.now);
  const given = { note: data.note ?? '', by: principal ?? 'somebody' };
  follow(draft, escalation, data.choice, {
    ...given,
    askedAt,
    found: (data.result ?? null) as Json,
    value: (data.value ?? null) as Json,
    env,
  });
};

type Given = {
  readonly found: Json;
  readonly value: Json;
  readonly note: string;
  readonly by: string;
  readonly askedAt: number;
  readonly env: Env;
};

const follow = (draft: RunDraft, escalation: Escalation, choice: Choice, given: Given): void => {
  switch (escalation.kind) {
    case 'question':
      return succeed(draft, escalation, choice === 'answer' && escalation.schema !== null ? given.value : choice);
    case 'approval': {
      // What is approved is scheduled in this batch, if there is a place for it.
      if (choice === 'approve') return;
      const message =
        given.note === '' ? `${given.by} rejected the call` : `${given.by} rejected the call: ${given.note}`;
      return fail(draft, escalation, { failure: { code: 'rejected', message }, effect: 'none' });
    }
    default:
      return settle(draft, escalation, choice, given);
  }
};

const succeed = (draft: RunDraft, { stepId, attempt }: Escalation, result: Json): void => {
  record(draft, runEvent('StepSucceeded', { stepId, attempt, by: 'person', session: null, result } as Succeeded));
};
type Succeeded = RunEventData<'StepSucceeded'>;

/** An answer about a doubt is evidence: the run is judged again with it. */
const settle = (draft: RunDraft, escalation: Escalation, choice: Choice, given: Given): void => {
  const { stepId, attempt } = escalation;
  const run = liveRun(draft);
  const doubt = openStep(run, stepId)?.doubt ?? null;
  const evidence = { summary: given.note === '' ? `a person answered ${choice}` : given.note };
  if (doubt !== null) {
    const { askedAt } = given;
    const ref = { stepId, attempt: doubt.attempt, doubtSeq: doubt.seq };
    if (choice === 'applied') {
      return settleApplied(draft, ref, 'person', { ...kept(given.found, given.env), askedAt, evidence });
    }
    if (choice === 'absent') return settleAbsent(draft, ref, 'person', { askedAt, evidence });
  }
  if (choice !== 'fail' || run === undefined || openStep(run, stepId) === undefined) return;
  const ended = run.end !== null;
  const failure = { code: 'failed_by_person', message: evidence.summary };
  fail(draft, escalation, { failure, effect: doubt === null ? 'none' : 'unknown' });
  if (ended) amendReport(draft, { stepId, attempt }, 'given up by a person');
};

const fail = (
  draft: RunDraft,
  { stepId, attempt }: Escalation,
  how: Pick<RunEventData<'StepFailed'>, 'failure' | 'effect'>,
): void => {
  record(draft, runEvent('StepFailed', { stepId, attempt, session: null, final: true, ...how }));
};
