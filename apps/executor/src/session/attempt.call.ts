import { enterSession, isClockRight, isFresh, leaveSession } from './lease.js';
import { freeSlot, forget, passCommand } from './attempt.over.js';
import { abandon, reportStarted, skip } from './attempt.report.js';
import type { AbortReason } from './session.messages.js';
import type { Attempt, ExecutorState, Time } from './session.state.js';
import type { Turn } from './turn.js';

/**
 * Why the call must not begin now, or null. All that matters is checked here and nowhere else; the shell asks once more
 * when it is about to call, since what was called before may have blocked the thread.
 */
export const callBlockedBy = (state: ExecutorState, attempt: Attempt, time: Time): string | null => {
  const { rules } = state.settings;
  const { order } = attempt;
  if (rules.checksBeforeCall) {
    if (time.now >= order.startBy) return 'start_by_passed';
    if (state.aborted.has(order.runId)) return 'run_aborted';
  }
  if (state.stopping !== null) return 'executor_stopping';
  if (!isClockRight(state)) return 'clock_off';
  if (rules.heartbeatFresh && attempt.session !== state.open) return 'session_draining';
  return goesOnBlockedBy(state, attempt, time);
};

/** Why a call that is under way must not make its effect any more, or null. `startBy` bounds beginnings only. */
export const effectBlockedBy = (state: ExecutorState, attempt: Attempt, time: Time): string | null => {
  const { rules } = state.settings;
  if (rules.checksBeforeCall && state.aborted.get(attempt.order.runId) === 'abort') return 'run_aborted';
  return goesOnBlockedBy(state, attempt, time);
};

const goesOnBlockedBy = (state: ExecutorState, attempt: Attempt, time: Time): string | null => {
  const { rules } = state.settings;
  const { deadline, session } = attempt;
  if (rules.checksBeforeCall && (deadline === null || time.now >= deadline)) return 'deadline_passed';
  if (!isFresh(state, state.sessions.get(session ?? ''), time)) return 'heartbeat_stale';
  if (rules.keyWindowChecked && isKeyForgotten(attempt)) return 'key_window_over';
  return null;
};

const isKeyForgotten = ({ order, deadline }: Attempt): boolean =>
  order.policy === 'keyed' && order.keyValidUntil !== null && (deadline ?? Infinity) > order.keyValidUntil;

/** The one call that the claim permits, or the word that there will be none. */
export const begin = (turn: Turn, attempt: Attempt): void => {
  const { state, time, out } = turn;
  const { order, session, deadline } = attempt;
  const pure = order.policy === 'pure';
  if (!pure || !state.settings.rules.pureReportedFirst) passCommand(turn, attempt);
  const blocked = callBlockedBy(state, attempt, time);
  if (blocked !== null) return block(turn, attempt, blocked);
  attempt.phase = 'calling';
  attempt.startedAt = time.now;
  state.calling.add(order.attemptId);
  out.push({ type: 'start-call', attemptId: order.attemptId, order, session: session ?? '', deadline: deadline ?? 0 });
};

/** The call does not begin. A holder says so; without a claim there is nothing to say. */
export const block = (turn: Turn, attempt: Attempt, reason: string): void => {
  const { state, time } = turn;
  const { order } = attempt;
  if (order.policy !== 'pure') return skip(turn, attempt, reason);
  if (time.now >= order.startBy || state.aborted.has(order.runId)) return forget(turn, attempt, true);
  state.calling.delete(order.attemptId);
  backToWaiting(turn, attempt);
};

/** What was meant to start and has left no trace in any log. */
export const backToWaiting = (turn: Turn, attempt: Attempt): void => {
  freeSlot(turn, attempt);
  const { session } = attempt;
  attempt.phase = 'waiting';
  attempt.session = null;
  attempt.deadline = null;
  turn.state.waiting.add(attempt.order.attemptId);
  leaveSession(turn, session);
};

/** Takes a slot for the attempt under the open session and fixes its deadline. */
export const reserve = (turn: Turn, attempt: Attempt, session: string): void => {
  const { state, time } = turn;
  const { startBy, timeoutMs } = attempt.order;
  state.waiting.delete(attempt.order.attemptId);
  state.slotsUsed += 1;
  attempt.slot = true;
  attempt.session = session;
  attempt.deadline = Math.min(time.now, startBy) + timeoutMs;
  enterSession(turn, session);
};

/** Calls whose time is over are told, and given up when they do not listen; long ones are made known. */
export const watchCalls = (turn: Turn): void => {
  const { state, time } = turn;
  const { graceMs, startedAfterMs } = state.settings;
  for (const id of state.calling) {
    const attempt = state.attempts.get(id);
    if (attempt === undefined) continue;
    const deadline = attempt.deadline ?? 0;
    if (time.now >= deadline) abort(turn, attempt, 'deadline');
    if (!attempt.startedSaid && time.now - (attempt.startedAt ?? 0) >= startedAfterMs) reportStarted(turn, attempt);
    if (time.now >= deadline + graceMs) abandon(turn, attempt);
  }
};

export const abort = ({ out }: Turn, attempt: Attempt, reason: AbortReason): void => {
  if (attempt.abortSaid) return;
  attempt.abortSaid = true;
  out.push({ type: 'abort-call', attemptId: attempt.order.attemptId, reason });
};
