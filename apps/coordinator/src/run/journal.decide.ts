import type { JournalRecord } from '@holdfast/contracts';
import {
  hasEffect,
  isStopping,
  onlyReported,
  openStep,
  runEvent,
  triesMaxOf,
  unreachable,
  type Amounts,
  type Attempt,
  type LiveRun,
  type StepState,
} from '@holdfast/events';
import { stepAt } from '@holdfast/programs';
import { holderOf } from './attempts.js';
import { boundedFailure, boundedText, kept } from './bounded.js';
import { comesTooLate } from './come-back.decide.js';
import { openConflict } from './conflict.decide.js';
import { openDoubt, settle, settleIfNothingLeft } from './doubt.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { openEscalation } from './escalation.decide.js';
import { resultHashFor } from './loop.decide.js';
import { amendReport } from './report.js';
import { backoffMs, pauseAfter } from './retry.js';
import { usedIn } from './used.js';

type Word<T extends JournalRecord['type']> = Extract<JournalRecord, { type: T }>;

/** What an executor's word about an attempt leads to. Late words are the best evidence there is and never refused. */
export const decideJournal = (draft: RunDraft, word: JournalRecord, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined) return;
  const step = openStep(run, word.data.stepId);
  if (step === undefined) return finishedStep(draft, run, word, env);
  const attempt = step.attempts.find((known) => known.attempt === word.data.attempt);
  if (attempt === undefined) return formerAttempt(draft, { run, step }, word, env);
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
      // A lower word after a higher one: whoever says "unknown" has called.
      return place.attempt.saidUnknown && env.rules.wordsClimb ? undefined : didNotAct(draft, place, word.data, env);
    case 'AttemptSucceeded':
      return succeeded(draft, place.step, word, env);
    case 'AttemptFailed':
      return failed(draft, place, word, env);
    case 'AttemptAborted':
      if (word.data.effect === 'none' || !hasEffect(place.step.policy))
        return didNotAct(draft, place, { used: onlyReported(place.attempt.reservation), ...word.data }, env);
      return unknown(draft, place, word, env);
    case 'AttemptUnknown':
      return unknown(draft, place, word, env);
    default:
      return unreachable(word);
  }
};

/** A refusal only asks for closing (derived from `env.refused`); a pure attempt has no claim that could be closed. */
const refused = (draft: RunDraft, { step }: Place, word: Word<'AttemptRefused'>, env: Env): void => {
  if (step.policy !== 'pure' && env.rules.refusalAsksOnly) return;
  const id = { stepId: step.stepId, attempt: word.data.attempt };
  record(draft, runEvent('AttemptSkipped', { ...id, ...said(word.data) }));
  record(draft, runEvent('BackoffStarted', { ...id, dueAt: env.now + backoffMs(undefined, 1), cause: 'refused' }));
};

type Saying = { readonly session: string; readonly reason: string; readonly used?: Amounts | undefined };
const said = (saying: Saying) => ({ session: saying.session, reason: boundedText(saying.reason), ...usedIn(saying) });

const didNotAct = (draft: RunDraft, { step, attempt }: Place, saying: Saying, env: Env): void => {
  const id = { stepId: step.stepId, attempt: attempt.attempt };
  record(draft, runEvent('AttemptSkipped', { ...id, ...said(saying) }));
  if (!env.rules.outcomeSpeaksForItself) forgetOthers(draft, step.stepId);
  const settled = settleIfNothingLeft(draft, step.stepId, attempt.attempt);
  const run = liveRun(draft);
  if (run?.end) return settled ? undefined : amendReport(draft, id, 'absent');
  if (run === undefined || isStopping(run) || openStep(run, step.stepId)?.attempts.length !== 0) return;
  // Whoever skipped may be the one who gets the next attempt: not in a circle without a pause.
  record(draft, runEvent('BackoffStarted', { ...id, dueAt: env.now + SKIP_PAUSE_MS, cause: 'skipped' }));
};

const SKIP_PAUSE_MS = 250;

/** Only when the rule is switched off: takes one attempt's word for all. */
const forgetOthers = (draft: RunDraft, stepId: string): void => {
  for (const { attempt } of openStep(liveRun(draft), stepId)?.attempts ?? []) {
    record(draft, runEvent('AttemptSkipped', { stepId, attempt, session: '', reason: 'taken for done' }));
  }
};

const succeeded = (draft: RunDraft, step: StepState, word: Word<'AttemptSucceeded'>, env: Env): void => {
  const { stepId, attempt, session, result, omitted } = word.data;
  const ended = liveRun(draft)?.end !== null;
  if (step.doubt) {
    const evidence = { summary: `session ${session} reported success of attempt ${attempt}` };
    const doubt = { stepId, attempt, doubtSeq: step.doubt.seq };
    settle(draft, doubt, { verdict: 'applied', by: 'outcome', evidence, askedAt: null });
  }
  const known = omitted === undefined ? kept(result ?? null, env) : { omitted };
  const value = 'omitted' in known ? { omitted: known.omitted } : { result: known.value };
  const hash = resultHashFor(liveRun(draft), result ?? omitted?.sha256 ?? null, env);
  record(
    draft,
    runEvent('StepSucceeded', { stepId, attempt, by: 'outcome', session, ...value, ...usedIn(word.data), ...hash }),
  );
  if (ended) amendReport(draft, { stepId, attempt }, 'applied');
};

/** What an executor says of a `pure` call that ended its worker again and again: no claim tells the coordinator so. */
const WORKER_DIED = 'worker_died';

const quarantine = (draft: RunDraft, stepId: string, env: Env): void => {
  const step = openStep(liveRun(draft), stepId);
  if (step !== undefined) openEscalation(draft, step, 'quarantine', env);
};

const failed = (draft: RunDraft, place: Place, word: Word<'AttemptFailed'>, env: Env): void => {
  const { run, step, attempt } = place;
  const { session, retry } = word.data;
  const { pauseMs, isTold } = pauseAfter(stepAt(run.program, step.stepId).retry, step.tries + 1, word.data);
  const id = { stepId: step.stepId, attempt: attempt.attempt };
  const failure = boundedFailure(word.data.failure);
  const base = { ...id, session, failure, effect: 'none', ...usedIn(word.data) } as const;
  // It speaks for its own attempt only: while others may have acted the step is not given up.
  const others = step.policy !== 'pure' && step.attempts.length > 1;
  const again = retry !== 'never' && (isTold || step.tries + 1 < triesMaxOf(run, step.stepId));
  if (run.end === null && word.data.failure.code === WORKER_DIED) {
    record(draft, runEvent('StepFailed', { ...base, final: false }));
    return quarantine(draft, step.stepId, env);
  }
  if (run.end === null && !others && !again && run.parent?.undo === true) {
    // What is not undone is held: a person says whether it is tried again.
    record(draft, runEvent('StepFailed', { ...base, final: false }));
    const left = openStep(liveRun(draft), step.stepId);
    return left === undefined ? undefined : void openEscalation(draft, left, 'exhausted', env);
  }
  if (run.end === null && !others && !again) {
    if (step.doubt) settleBySaying(draft, { ...id, doubtSeq: step.doubt.seq });
    return void record(draft, runEvent('StepFailed', { ...base, final: true }));
  }
  // Told to come back later: no try was used, and time alone bounds it.
  const counts = isTold ? { counts: false } : {};
  record(draft, runEvent('StepFailed', { ...base, final: false, ...counts }));
  const settled = settleIfNothingLeft(draft, step.stepId, attempt.attempt);
  if (run.end !== null) return settled ? undefined : amendReport(draft, id, 'failed');
  const dueAt = env.now + pauseMs;
  if (isTold && dueAt >= run.deadlineAt) return comesTooLate(draft, { ...id, dueAt, failure }, env);
  record(draft, runEvent('BackoffStarted', { ...id, dueAt, cause: 'failed' }));
};

const settleBySaying = (draft: RunDraft, doubt: { stepId: string; attempt: number; doubtSeq: number }): void => {
  const evidence = { summary: 'its holder says that it did not act' };
  settle(draft, doubt, { verdict: 'absent', by: 'outcome', evidence, askedAt: null });
};

const unknown = (
  draft: RunDraft,
  { step, attempt }: Place,
  word: Word<'AttemptUnknown' | 'AttemptAborted'>,
  env: Env,
): void => {
  if (attempt.status === 'doubtful') return;
  const { session, deadline, used } = word.data;
  const witness = { session, deadline, used };
  openDoubt(draft, { step, attempt, witness }, { cause: 'outcome_unknown', endedAt: null, death: false }, env);
};

/** The attempt was concluded not to act, or its step was run again since. */
const formerAttempt = (
  draft: RunDraft,
  { run, step }: { readonly run: LiveRun; readonly step: StepState },
  word: JournalRecord,
  env: Env,
): void => {
  if (word.type !== 'AttemptSucceeded' || word.data.attempt >= step.nextAttempt) return;
  // The first good outcome of any attempt counts where a repeat harms nothing.
  if (!hasEffect(step.policy)) return succeeded(draft, step, word, env);
  openConflict(draft, word.data, conclusionOf(run, word.data.stepId, word.data.attempt) ?? 'not acted', env);
};

/** The step is done: only a word for an attempt that was taken not to have acted says anything new. */
const finishedStep = (draft: RunDraft, run: LiveRun, word: JournalRecord, env: Env): void => {
  if (word.type !== 'AttemptSucceeded') return;
  const { stepId, attempt } = word.data;
  const concluded = conclusionOf(run, stepId, attempt);
  if (concluded !== undefined) openConflict(draft, word.data, concluded, env);
};

const conclusionOf = (run: LiveRun, stepId: string, attempt: number): string | undefined => {
  const key = `${stepId}/${attempt}`;
  return Object.hasOwn(run.concluded, key) ? run.concluded[key] : undefined;
};
