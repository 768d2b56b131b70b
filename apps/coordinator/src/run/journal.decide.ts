import type { JournalRecord } from '@holdfast/contracts';
import {
  hasEffect,
  runEvent,
  unreachable,
  type Attempt,
  type Json,
  type LiveRun,
  type RunEventData,
  type StepState,
} from '@holdfast/events';
import { stepAt } from '@holdfast/programs';
import { holderOf } from './attempts.js';
import { openConflict } from './conflict.decide.js';
import { openDoubt, settle, settleIfNothingLeft } from './doubt.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { amendReport } from './report.js';
import { backoffMs, triesMaxOf } from './retry.js';

type Word<T extends JournalRecord['type']> = Extract<JournalRecord, { type: T }>;

/** What an executor's word about an attempt leads to. Late words are the best evidence there is and never refused. */
export const decideJournal = (draft: RunDraft, word: JournalRecord, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined) return;
  const step = run.steps[word.data.stepId];
  if (step === undefined) return finishedStep(draft, run, word, env);
  const attempt = step.attempts.find((known) => known.attempt === word.data.attempt);
  if (attempt === undefined) return formerAttempt(draft, run, step, word, env);
  // Only the holder may testify; for `pure` there is none.
  const holder = step.policy === 'pure' ? null : holderOf(env, run, step, attempt);
  if (holder && word.type !== 'AttemptRefused' && holder.session !== word.data.session) return;
  openAttempt(draft, { run, step, attempt }, word, env);
};

type Place = { readonly run: LiveRun; readonly step: StepState; readonly attempt: Attempt };

const openAttempt = (draft: RunDraft, place: Place, word: JournalRecord, env: Env): void => {
  switch (word.type) {
    case 'AttemptStarted':
    case 'AttemptProgressed':
      return;
    case 'AttemptRefused':
      return refused(draft, place, word, env);
    case 'AttemptSkipped':
      return didNotAct(draft, place, word.data, word.data.reason, env);
    case 'AttemptSucceeded':
      return succeeded(draft, place.step, word);
    case 'AttemptFailed':
      return failed(draft, place, word, env);
    case 'AttemptAborted':
      if (word.data.effect === 'none' || !hasEffect(place.step.policy)) {
        return didNotAct(draft, place, word.data, word.data.reason, env);
      }
      return unknown(draft, place, env);
    case 'AttemptUnknown':
      return unknown(draft, place, env);
    default:
      return unreachable(word);
  }
};

/** A refusal only asks for closing (derived from `env.refused`); a pure attempt has no claim that could be closed. */
const refused = (draft: RunDraft, { step }: Place, word: Word<'AttemptRefused'>, env: Env): void => {
  if (step.policy !== 'pure' && env.rules.refusalAsksOnly) return;
  const id = { stepId: step.stepId, attempt: word.data.attempt };
  record(draft, runEvent('AttemptSkipped', { ...id, session: word.data.session, reason: word.data.reason }));
  record(draft, runEvent('BackoffStarted', { ...id, dueAt: env.now + backoffMs(undefined, 1), cause: 'refused' }));
};

const didNotAct = (
  draft: RunDraft,
  { step, attempt }: Place,
  { session }: { readonly session: string },
  reason: string,
  env: Env,
): void => {
  const id = { stepId: step.stepId, attempt: attempt.attempt };
  record(draft, runEvent('AttemptSkipped', { ...id, session, reason }));
  if (!env.rules.outcomeSpeaksForItself) forgetOthers(draft, step.stepId);
  settleIfNothingLeft(draft, step.stepId, attempt.attempt);
  if (liveRun(draft)?.end) amendReport(draft, id, 'absent');
};

/** Only when the rule is switched off: takes one attempt's word for all. */
const forgetOthers = (draft: RunDraft, stepId: string): void => {
  const step = liveRun(draft)?.steps[stepId];
  for (const { attempt } of step?.attempts ?? []) {
    record(draft, runEvent('AttemptSkipped', { stepId, attempt, session: '', reason: 'taken for done' }));
  }
};

const succeeded = (draft: RunDraft, step: StepState, word: Word<'AttemptSucceeded'>): void => {
  const { stepId, attempt, session, result, omitted } = word.data;
  const ended = liveRun(draft)?.end !== null;
  if (step.doubt) {
    const evidence = { summary: `session ${session} reported success of attempt ${attempt}` };
    settle(draft, { stepId, attempt, doubtSeq: step.doubt.seq }, 'applied', 'outcome', evidence);
  }
  const known: RunEventData<'StepSucceeded'> = { stepId, attempt, by: 'outcome', session };
  record(
    draft,
    runEvent('StepSucceeded', {
      ...known,
      ...(omitted === undefined ? { result: (result ?? null) as Json } : { omitted }),
    } as RunEventData<'StepSucceeded'>),
  );
  if (ended) amendReport(draft, { stepId, attempt }, 'applied');
};

const failed = (draft: RunDraft, { run, step, attempt }: Place, word: Word<'AttemptFailed'>, env: Env): void => {
  const { session, failure, retry } = word.data;
  const id = { stepId: step.stepId, attempt: attempt.attempt };
  const others = step.policy !== 'pure' && step.attempts.length > 1;
  const again = retry !== 'never' && step.tries + 1 < triesMaxOf(run, step.stepId);
  if (run.end === null && !others && !again && step.doubt === null) {
    record(draft, runEvent('StepFailed', { ...id, session, failure, final: true, effect: 'none' }));
    return;
  }
  record(draft, runEvent('StepFailed', { ...id, session, failure, final: false, effect: 'none' }));
  settleIfNothingLeft(draft, step.stepId, attempt.attempt);
  if (run.end !== null) return amendReport(draft, id, 'failed');
  const pause = retry === 'later' ? backoffMs(stepAt(run.program, step.stepId).retry, step.tries + 1) : 0;
  record(draft, runEvent('BackoffStarted', { ...id, dueAt: env.now + pause, cause: 'failed' }));
};

const unknown = (draft: RunDraft, { step, attempt }: Place, env: Env): void => {
  if (attempt.status === 'doubtful') return;
  openDoubt(draft, step, attempt, { cause: 'outcome_unknown', endedAt: null, death: false }, env);
};

/** The attempt was concluded not to act, or its step was run again since. */
const formerAttempt = (draft: RunDraft, run: LiveRun, step: StepState, word: JournalRecord, env: Env): void => {
  if (word.type !== 'AttemptSucceeded' || word.data.attempt >= step.nextAttempt) return;
  // The first good outcome of any attempt counts where a repeat harms nothing.
  if (!hasEffect(step.policy)) return succeeded(draft, step, word);
  openConflict(draft, run, word.data, actedOn(run, word.data.stepId, word.data.attempt), env);
};

const finishedStep = (draft: RunDraft, run: LiveRun, word: JournalRecord, env: Env): void => {
  if (word.type !== 'AttemptSucceeded') return;
  if (run.actedOnAbsent[`${word.data.stepId}/${word.data.attempt}`] !== true) return;
  openConflict(draft, run, word.data, 'absent', env);
};

const actedOn = (run: LiveRun, stepId: string, attempt: number): string =>
  run.actedOnAbsent[`${stepId}/${attempt}`] === true ? 'absent' : 'not acted';
