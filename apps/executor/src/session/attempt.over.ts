import { leaveSession } from './lease.js';
import type { Attempt, Partition } from './session.state.js';
import { homeOf, type Turn } from './turn.js';

/** The command's copies need not be read again: its first claim is known, or its outcome, or nobody wants it. */
export const passCommand = (turn: Turn, attempt: Attempt): void => {
  const home = homeOf(turn, attempt);
  for (const offset of attempt.offsets) passOffset(turn, home, offset);
  attempt.offsets = [];
};

export const passOffset = (turn: Turn, home: Partition, offset: number): void => {
  const { pending } = home.commands;
  const left = pending.get(offset);
  if (left === undefined) return;
  if (left > 1) pending.set(offset, left - 1);
  else pending.delete(offset);
  turn.touched.add(home);
};

export const holdOffset = (home: Partition, offset: number): void => {
  const { pending } = home.commands;
  pending.set(offset, (pending.get(offset) ?? 0) + 1);
};

export const freeSlot = ({ state }: Turn, attempt: Attempt): void => {
  if (!attempt.slot) return;
  attempt.slot = false;
  state.slotsUsed -= 1;
  if (state.alone === attempt.order.attemptId) state.alone = null;
};

/** The attempt is over for this process. `own`: it claimed or reported it, so a later copy of the command means nothing. */
export const forget = (turn: Turn, attempt: Attempt, own: boolean): void => {
  const { state } = turn;
  const { attemptId, startBy } = attempt.order;
  passCommand(turn, attempt);
  freeSlot(turn, attempt);
  state.waiting.delete(attemptId);
  state.calling.delete(attemptId);
  const home = homeOf(turn, attempt);
  home.uncovered.delete(attemptId);
  if (home.toClaim.length > 0) home.toClaim = home.toClaim.filter((id) => id !== attemptId);
  turn.touched.add(home);
  // With a rule switched off another attempt may stand under the same id.
  if (state.attempts.get(attemptId) === attempt) state.attempts.delete(attemptId);
  if (own) state.past.set(attemptId, startBy);
  const { session } = attempt;
  attempt.session = null;
  leaveSession(turn, session);
};
