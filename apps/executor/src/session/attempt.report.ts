import { unreachable } from '@holdfast/events';
import { forget, freeSlot } from './attempt.over.js';
import type { CallOutcome, JournalEntry } from './session.messages.js';
import type { Attempt } from './session.state.js';
import type { Turn } from './turn.js';

/** Asks for the attempt to be closed. Says nothing about who holds it. */
export const refuse = (turn: Turn, attempt: Attempt, reason: string): void => {
  attempt.phase = 'reporting';
  write(turn, attempt, { type: 'AttemptRefused', data: { ...reported(turn, attempt), deadline: null, reason } });
};

/** The holder's word that it did not call and never will. */
export const skip = (turn: Turn, attempt: Attempt, reason: string): void => {
  stopCalling(turn, attempt);
  write(turn, attempt, { type: 'AttemptSkipped', data: { ...reported(turn, attempt), reason } });
};

export const reportStarted = (turn: Turn, attempt: Attempt): void => {
  attempt.startedSaid = true;
  const startedAt = attempt.startedAt ?? turn.time.now;
  write(turn, attempt, { type: 'AttemptStarted', data: { ...reported(turn, attempt), startedAt } });
};

export const reportProgress = (turn: Turn, attempt: Attempt, progress: Progress): void =>
  write(turn, attempt, { type: 'AttemptProgressed', data: { ...reported(turn, attempt), progress } });

type Progress = Extract<JournalEntry, { type: 'AttemptProgressed' }>['data']['progress'];

/** The call is over, in whatever way. */
export const reportOutcome = (turn: Turn, attempt: Attempt, outcome: CallOutcome): void => {
  stopCalling(turn, attempt);
  write(turn, attempt, outcomeEntry(turn, attempt, outcome));
};

/** The call runs on past its time. The coordinators take it for doubtful now; what it says later is still reported. */
export const abandon = (turn: Turn, attempt: Attempt): void => {
  attempt.abandoned = true;
  turn.state.calling.delete(attempt.order.attemptId);
  freeSlot(turn, attempt);
  const failure = { code: 'deadline_passed', message: 'the call did not end by its deadline' };
  write(turn, attempt, outcomeEntry(turn, attempt, { outcome: 'unknown', failure }));
};

export const journalAcknowledged = (turn: Turn, attemptId: string): void => {
  const attempt = turn.state.attempts.get(attemptId);
  if (attempt === undefined) return;
  attempt.unacknowledged -= 1;
  if (attempt.phase === 'reporting' && attempt.unacknowledged === 0) forget(turn, attempt, true);
};

const stopCalling = (turn: Turn, attempt: Attempt): void => {
  attempt.phase = 'reporting';
  turn.state.calling.delete(attempt.order.attemptId);
  freeSlot(turn, attempt);
};

const outcomeEntry = (turn: Turn, attempt: Attempt, outcome: CallOutcome): JournalEntry => {
  const who = reported(turn, attempt);
  const endedAt = turn.time.now;
  const used = outcome.used === undefined ? {} : { used: { ...outcome.used } };
  const times = { startedAt: attempt.startedAt ?? endedAt, endedAt, ...used };
  switch (outcome.outcome) {
    case 'succeeded': {
      const value = 'omitted' in outcome ? { omitted: outcome.omitted } : { result: outcome.result };
      return { type: 'AttemptSucceeded', data: { ...who, ...value, ...times } };
    }
    case 'failed': {
      const { failure, retry, retryAfterMs } = outcome;
      const after = retryAfterMs === undefined ? {} : { retryAfterMs };
      return { type: 'AttemptFailed', data: { ...who, failure, retry, ...after, ...times } };
    }
    case 'aborted': {
      // What has no effect outside cannot have had one.
      const effect = attempt.order.policy === 'pure' ? 'none' : outcome.effect;
      return { type: 'AttemptAborted', data: { ...who, effect, reason: outcome.reason, endedAt, ...used } };
    }
    case 'unknown':
      return attempt.order.policy === 'pure'
        ? { type: 'AttemptFailed', data: { ...who, failure: outcome.failure, retry: 'later', ...times } }
        : { type: 'AttemptUnknown', data: { ...who, failure: outcome.failure, ...times } };
    default:
      return unreachable(outcome);
  }
};

const reported = ({ state }: Turn, { order, session, deadline }: Attempt) => ({
  attemptId: order.attemptId,
  runId: order.runId,
  stepId: order.stepId,
  attempt: order.attempt,
  session: session ?? anySession(state),
  deadline,
});

const anySession = ({ open, sessions }: Turn['state']): string => open ?? [...sessions.keys()].at(-1) ?? 'none';

const write = ({ out }: Turn, attempt: Attempt, entry: JournalEntry): void => {
  attempt.unacknowledged += 1;
  const { attemptId } = attempt.order;
  out.push({ type: 'write-journal', lane: attempt.lane, attemptId, session: entry.data.session, entry });
};
