import { unreachable } from '@holdfast/events';
import { abort, block, watchCalls } from './attempt.call.js';
import { claimsAnswered, sendClaims, takeUp } from './attempt.claim.js';
import { forget } from './attempt.over.js';
import { journalAcknowledged, reportOutcome, reportProgress } from './attempt.report.js';
import { commandsRead, deadLetterWritten } from './attempt.take.js';
import { beatAcknowledged, sessionOpened, timeToActBy } from './lease.js';
import { stopServing } from './partition.defect.js';
import { claimsLost, claimsRead, earlierClaimsRead, seatGained, seatLost, settle } from './partition.seats.js';
import type { CallOutcome, Input, Output } from './session.messages.js';
import type { ExecutorState } from './session.state.js';
import { stop, sweep, watchStop } from './session.sweep.js';
import { partitionOf, type Turn } from './turn.js';

export type Step = { readonly state: ExecutorState; readonly outputs: readonly Output[] };

/** What an executor's worker does about each thing it learns. Knows no clock, no log and no tool; changes `state` in place. */
export const step = (state: ExecutorState, input: Input): Step => {
  const turn: Turn = { state, time: timeToActBy(state, input), out: [], touched: new Set() };
  apply(turn, input);
  takeUp(turn);
  for (const home of turn.touched) {
    sendClaims(turn, home);
    settle(turn, home);
  }
  watchStop(turn);
  return { state, outputs: turn.out };
};

const apply = (turn: Turn, input: Input): void => {
  switch (input.type) {
    case 'session-opened':
      return sessionOpened(turn, input.session);
    case 'beat-acknowledged':
      turn.state.clockOffMs = input.clockOffMs;
      if (input.clockIsRight) turn.state.right = input.sent;
      return beatAcknowledged(turn, input.sessions, input.sent);
    case 'abort-read':
      return abortRead(turn, input.runId, input.mode);
    case 'quarantine':
      for (const id of input.attemptIds) turn.state.quarantined.add(id);
      for (const id of input.suspects) turn.state.suspects.add(id);
      return;
    case 'tick':
      watchCalls(turn);
      return sweep(turn);
    case 'drain':
      return stop(turn, 'drain', input.until);
    case 'parent-lost':
      return stop(turn, 'parent-lost', null);
    case 'call-blocked':
    case 'call-ended':
    case 'progressed':
    case 'journal-acknowledged':
      return applyToAttempts(turn, input);
    default:
      return applyToPartition(turn, input);
  }
};

type OfAttempts = Extract<Input, { type: 'call-blocked' | 'call-ended' | 'progressed' | 'journal-acknowledged' }>;

const applyToAttempts = (turn: Turn, input: OfAttempts): void => {
  if (input.type === 'journal-acknowledged') {
    for (const id of input.attemptIds) journalAcknowledged(turn, id);
    return;
  }
  const attempt = turn.state.attempts.get(input.attemptId);
  if (attempt === undefined || attempt.phase !== 'calling') return;
  switch (input.type) {
    case 'call-blocked':
      return block(turn, attempt, input.reason);
    case 'call-ended':
      return reportOutcome(turn, attempt, input.outcome satisfies CallOutcome);
    case 'progressed':
      return reportProgress(turn, attempt, input.progress);
    default:
      return unreachable(input);
  }
};

type OfPartition = Extract<Input, { partition: number }>;

const applyToPartition = (turn: Turn, input: OfPartition): void => {
  const home = partitionOf(turn, input);
  switch (input.type) {
    case 'seat-gained':
      return seatGained(turn, home, input.from);
    case 'seat-lost':
      return seatLost(turn, home);
    case 'commands-read':
      return commandsRead(turn, home, input.commands, input.next);
    case 'dead-letter-written':
      return deadLetterWritten(turn, home, input.offset);
    case 'claims-read':
      return claimsRead(turn, home, input);
    case 'earlier-claims-read':
      return earlierClaimsRead(turn, home, input);
    case 'claims-lost':
      return claimsLost(turn, home, input.start);
    case 'claims-answered':
      return claimsAnswered(turn, home, input.append, input.answer);
    case 'defect-found':
      return stopServing(turn, home, input.detail);
    default:
      return unreachable(input);
  }
};

const abortRead = (turn: Turn, runId: string, mode: 'abort' | 'drain'): void => {
  const { state } = turn;
  if (state.aborted.get(runId) !== 'abort') state.aborted.set(runId, mode);
  for (const attempt of state.attempts.values()) {
    if (attempt.order.runId !== runId) continue;
    // Held attempts are judged before their call; those without a claim are dropped without a word.
    if (attempt.phase === 'waiting') forget(turn, attempt, false);
    else if (attempt.phase === 'calling' && mode === 'abort') abort(turn, attempt, 'run_aborted');
  }
};
