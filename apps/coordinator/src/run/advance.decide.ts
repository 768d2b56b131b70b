import { openStep, runEvent, type Attempt, type LiveRun, type StepState } from '@holdfast/events';
import { holderOf, idOf, mustClose } from './attempts.js';
import { leaveChildren, stopChildrenIfStopping } from '../children/child.decide.js';
import { supersedeIfObsolete } from '../keys/key-run.decide.js';
import { compensateIfDue } from '../undo/undo.decide.js';
import { stopWhatIsExceeded, warnOfLimits, watchIdleTime } from './budget.decide.js';
import { openDoubt, settleIfNothingLeft } from './doubt.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import { endIfDone } from './end.decide.js';
import { expireEscalations, remindAssignees } from './silence.decide.js';
import type { Env } from './env.js';
import { escalateDoubts } from './escalation.decide.js';
import { amendReport } from './report.js';
import { backoffMs } from './retry.js';
import { stopLoops } from './loop.decide.js';
import type { Budget } from './place.js';
import { schedule } from './schedule.decide.js';
import { takeTurns } from './turn.decide.js';

/** Everything that follows for a run from facts and time alone, after its messages were decided. */
export const advanceRun = (draft: RunDraft, env: Env, budget: Budget): void => {
  if (!noteClaims(draft, env, budget.notes)) return void (budget.more = true);
  const all = [escalateDoubts, remindAssignees, expireEscalations].every((ask) => ask(draft, env, budget.notes));
  if (!all) return void (budget.more = true);
  supersedeIfObsolete(draft, env);
  if (!leaveChildren(draft, env, budget.notes)) return void (budget.more = true);
  stopChildrenIfStopping(draft, env);
  takeTurns(draft, budget);
  endIfDone(draft, env);
  stopWhatIsExceeded(draft, env);
  stopLoops(draft, env);
  watchIdleTime(draft, env);
  schedule(draft, env, budget);
  warnOfLimits(draft, env);
  stopChildrenIfStopping(draft, env);
  endIfDone(draft, env);
  compensateIfDue(draft, env);
};

/** Answers whether all of them were looked at. */
const noteClaims = (draft: RunDraft, env: Env, eventsMax: number): boolean => {
  const before = draft.events.length;
  for (const { stepId, policy, attempts } of liveRun(draft)?.steps ?? []) {
    if (policy === 'pure') continue;
    for (const { attempt } of attempts) {
      if (draft.events.length - before >= eventsMax) return false;
      noteClaim(draft, stepId, attempt, env);
    }
  }
  return true;
};

const noteClaim = (draft: RunDraft, stepId: string, number: number, env: Env): void => {
  const run = liveRun(draft);
  const step = openStep(run, stepId);
  const attempt = step?.attempts.find((known) => known.attempt === number);
  if (run === undefined || step === undefined || attempt === undefined || attempt.status === 'doubtful') return;
  const first = attempt.status === 'open' ? env.firsts.get(idOf(run, step, attempt)) : undefined;
  if (first?.kind === 'closed') return closed(draft, { run, step, attempt }, first.offset, env);
  if (first?.kind === 'unreadable') {
    return openDoubt(draft, { step, attempt }, { cause: 'claims_unreadable', endedAt: null, death: false }, env);
  }
  const lost = lossOf(env, run, step, attempt);
  if (lost !== null) return openDoubt(draft, { step, attempt }, lost, env);
  if (first?.kind === 'claimed' && mustClose(env, run, step, attempt) !== null) {
    const { session, deadline, offset } = first;
    record(draft, runEvent('AttemptHeld', { stepId, attempt: number, session, deadline, claimOffset: offset }));
  }
};

type Place = { readonly run: LiveRun; readonly step: StepState; readonly attempt: Attempt };

/** `closed` is the first claim: nobody can ever act for this attempt. No try was used. */
const closed = (draft: RunDraft, { run, step, attempt }: Place, claimOffset: number, env: Env): void => {
  const cause = mustClose(env, run, step, attempt) ?? 'start_by';
  const id = { stepId: step.stepId, attempt: attempt.attempt };
  record(draft, runEvent('AttemptClosed', { ...id, claimOffset, cause }));
  const settled = settleIfNothingLeft(draft, step.stepId, attempt.attempt);
  if (run.end !== null) return settled ? undefined : amendReport(draft, id, 'absent');
  if (cause === 'refused') {
    record(draft, runEvent('BackoffStarted', { ...id, dueAt: env.now + backoffMs(undefined, 1), cause: 'refused' }));
  }
};

/** Why nobody is left who will say what the attempt did; null while its holder may still speak. */
const lossOf = (env: Env, run: LiveRun, step: StepState, attempt: Attempt) => {
  const holder = holderOf(env, run, step, attempt);
  if (holder === null) return null;
  const lost = env.lost.get(holder.session);
  if (lost !== undefined) return { cause: lost.cause, endedAt: lost.endedAt, death: !lost.clean } as const;
  const passed = env.now >= holder.deadline + env.settings.graceMs;
  return passed ? ({ cause: 'deadline_passed', endedAt: null, death: false } as const) : null;
};
