import type { RequestOf } from '@holdfast/contracts';
import { LIMITS, openStep, runEvent, type Choice, type Escalation, type LiveRun } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { kept } from './bounded.js';
import { settleAbsent, settleApplied } from './doubt.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { amendReport } from './report.js';
import { refuse } from './refuse.js';
import { absentCounts } from './verdict.decide.js';

/** A person's answer to what no machine can decide. */
export const decideAnswer = (draft: RunDraft, request: RequestOf<'AnswerEscalation'>, env: Env): void => {
  const { data } = request;
  const run = liveRun(draft);
  if (run === undefined) {
    const code = draft.run === undefined ? 'unknown_run' : 'run_ended';
    const message = `nothing is asked about run ${data.runId} (${draft.run?.status ?? 'no such run'})`;
    return refuse(draft, request, { code, message });
  }
  const escalation = find(run, data.escalation, data.stepId);
  if (escalation === undefined) {
    const open = Object.values(run.escalations).map(({ seq, stepId }) => `${seq} (${stepId})`);
    const known = open.length > 0 ? `open are ${open.join(', ')}` : 'nothing is open';
    return refuse(draft, request, { code: 'unknown_escalation', message: `that question is not open; ${known}` });
  }
  if (!escalation.choices.includes(data.choice)) {
    const message = `choose one of ${escalation.choices.join(', ')}`;
    return refuse(draft, request, { code: 'choice_not_offered', message });
  }
  const result = (data.result ?? null) as Json;
  if ('omitted' in kept(result, env)) {
    const message = `the result may have at most ${LIMITS.inlineValueBytes} bytes and ${LIMITS.valueDepth} levels`;
    return refuse(draft, request, { code: 'too_large', message });
  }
  const step = openStep(run, escalation.stepId);
  // Nobody has looked later than now, whatever their clock says.
  const askedAt = Math.min(data.lookedAt ?? env.now, env.now);
  if (data.choice === 'absent' && step?.doubt && !absentCounts(step, askedAt, env)) {
    const when = new Date(step.doubt.settledAt).toISOString();
    const message = `the effect may still land until ${when}; look again after that`;
    return refuse(draft, request, { code: 'too_early', message });
  }
  record(
    draft,
    runEvent('EscalationAnswered', {
      stepId: escalation.stepId,
      attempt: escalation.attempt,
      escalationSeq: escalation.seq,
      choice: data.choice,
      principal: request.principal,
      requestId: data.requestId,
      note: data.note ?? '',
    }),
    request.principal,
  );
  follow(draft, escalation, data.choice, { value: result, note: data.note ?? '', askedAt });
};

const find = (run: LiveRun, seq: number | undefined, stepId: string | undefined): Escalation | undefined =>
  Object.values(run.escalations)
    // By step alone a doubt is meant before a conflict.
    .toSorted((a, b) => Number(a.kind === 'conflict') - Number(b.kind === 'conflict'))
    .find((known) => (seq === undefined ? known.stepId === stepId : known.seq === seq));

type Found = { readonly value: Json; readonly note: string; readonly askedAt: number };

const follow = (draft: RunDraft, escalation: Escalation, choice: Choice, found: Found): void => {
  const { stepId, attempt } = escalation;
  const run = liveRun(draft);
  const doubt = openStep(run, stepId)?.doubt ?? null;
  const evidence = { summary: found.note === '' ? `a person answered ${choice}` : found.note };
  if (doubt !== null) {
    const ref = { stepId, attempt: doubt.attempt, doubtSeq: doubt.seq };
    if (choice === 'applied') return settleApplied(draft, ref, 'person', { ...found, evidence });
    if (choice === 'absent') return settleAbsent(draft, ref, 'person', { askedAt: found.askedAt, evidence });
  }
  if (choice !== 'fail' || run === undefined || openStep(run, stepId) === undefined) return;
  const ended = run.end !== null;
  const failure = { code: 'failed_by_person', message: evidence.summary };
  const effect = doubt === null ? 'none' : 'unknown';
  record(draft, runEvent('StepFailed', { stepId, attempt, session: null, failure, final: true, effect }));
  if (ended) amendReport(draft, { stepId, attempt }, 'given up by a person');
};
