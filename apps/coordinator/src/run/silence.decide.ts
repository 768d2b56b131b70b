import { askedAt, isStopping, runEvent, type Escalation, type LiveRun, type RunEventData } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { endRun, silenceEnd } from './end.decide.js';
import { sayAmended } from './report.js';
import { isOver, reminderDue, silenceAt } from './silence-times.js';

const isRead = (escalation: Escalation, env: Env): boolean =>
  !env.rules.answersBeforeExpiry || env.answersReadAt >= silenceAt(escalation, env);

/** Whether a question's time is over and answers that were given in time may not have been read. */
export const waitsForReading = (run: LiveRun, env: Env): boolean =>
  Object.values(run.escalations).some((escalation) => isOver(escalation, env) && !isRead(escalation, env));

/** What asks whether to go on is of no interest in a run that does not. */
const isMoot = (run: LiveRun, { kind }: Escalation): boolean =>
  (kind === 'question' || kind === 'approval') && isStopping(run);

/** Reminds, and asks the next in line. Answers whether all were looked at within `eventsMax` events. */
export const remindAssignees = (draft: RunDraft, env: Env, eventsMax: number): boolean => {
  const before = draft.events.length;
  const run = liveRun(draft);
  if (run === undefined) return true;
  for (const escalation of Object.values(run.escalations)) {
    if (env.now < reminderDue(escalation) || env.now >= escalation.expiresAt || isMoot(run, escalation)) continue;
    if (draft.events.length - before >= eventsMax) return false;
    const { stepId, attempt, seq, reminded } = escalation;
    const to = [...askedAt(escalation, env.now)];
    const data = { stepId, attempt, escalationSeq: seq, to, nth: reminded.nth + 1, at: env.now };
    record(draft, runEvent('EscalationReminded', data));
  }
  return true;
};

/** Nobody answered in time. Answers whether all questions were looked at within `eventsMax` events. */
export const expireEscalations = (draft: RunDraft, env: Env, eventsMax: number): boolean => {
  const before = draft.events.length;
  for (const escalation of Object.values(liveRun(draft)?.escalations ?? {})) {
    const run = liveRun(draft);
    const open = run?.escalations[escalation.seq];
    // What came of one question may have ended another one.
    if (run === undefined || open === undefined || !isOver(open, env) || !isRead(open, env)) continue;
    if (isMoot(run, open)) continue;
    if (draft.events.length - before >= eventsMax) return false;
    const { stepId, attempt, seq } = escalation;
    sayAmended(draft, env);
    record(draft, runEvent('EscalationExpired', { stepId, attempt, escalationSeq: seq }));
    if (run.end === null) takeSilence(draft, escalation, env);
  }
  return true;
};

const takeSilence = (draft: RunDraft, escalation: Escalation, env: Env): void => {
  const { onSilence, stepId, attempt, question } = escalation;
  const detail = `nobody answered about step ${stepId} in time: ${question}`;
  if (typeof onSilence === 'object') {
    const result = onSilence.answer as Json as RunEventData<'StepSucceeded'>['result'];
    return void record(draft, runEvent('StepSucceeded', { stepId, attempt, by: 'silence', session: null, result }));
  }
  if (onSilence === 'fail') {
    const failure = { code: 'unanswered', message: detail };
    const data = { stepId, attempt, session: null, failure, final: true, effect: 'none' } as const;
    return void record(draft, runEvent('StepFailed', data));
  }
  // Where a cancel is under way, the run ends by that.
  if (liveRun(draft)?.cancel === null) endRun(draft, silenceEnd(escalation), env);
};
