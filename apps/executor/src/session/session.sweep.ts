import { abort } from './attempt.call.js';
import { forget } from './attempt.over.js';
import { surelyPassed } from './lease.js';
import { isBusy } from './session.state.js';
import type { Turn } from './turn.js';

const SWEEP_MS = 1_000;
const ABORTED_MAX = 100_000;

/** Drops what is past its time: commands nobody may start any more, and the memory that guards against their copies. */
export const sweep = (turn: Turn): void => {
  const { state, time } = turn;
  if (time.mono - state.sweptAt < SWEEP_MS) return;
  state.sweptAt = time.mono;
  const { rules, skewMs } = state.settings;
  for (const attempt of state.attempts.values()) {
    if (attempt.phase !== 'waiting' || time.now < attempt.order.startBy || !rules.dropPastStartBy) continue;
    forget(turn, attempt, false);
  }
  const forgetUpTo = surelyPassed(state, time) - skewMs;
  dropPast(state.past, (startBy) => startBy < forgetUpTo);
  for (const { range } of state.partitions.values()) {
    if (range === null) continue;
    dropPast(range.first, (first, id) => first.startBy < forgetUpTo && !state.attempts.has(id));
    while ((range.unreadable[0] ?? Infinity) < range.from) range.unreadable.shift();
  }
  for (const runId of state.aborted.keys()) {
    if (state.aborted.size <= ABORTED_MAX) break;
    state.aborted.delete(runId);
  }
};

/** Entries stand roughly in the order of their end, so the first that stays ends the search. */
const dropPast = <V>(memory: Map<string, V>, isOver: (value: V, id: string) => boolean): void => {
  for (const [id, value] of memory) {
    if (!isOver(value, id)) return;
    memory.delete(id);
  }
};

/** Nothing new is begun; what was claimed is finished, and told to stop when its time for that is over. */
export const stop = (turn: Turn, why: 'drain' | 'parent-lost', until: number | null): void => {
  const { state } = turn;
  if (state.stopping?.why === why) return;
  state.stopping = { why, until, said: false };
  for (const attempt of state.attempts.values()) if (attempt.phase === 'waiting') leave(turn, attempt);
};

/** The command stays where it is, for whoever serves the partition next. */
const leave = (turn: Turn, attempt: Parameters<typeof forget>[1]): void => {
  const offsets = attempt.offsets;
  attempt.offsets = [];
  forget(turn, attempt, false);
  attempt.offsets = offsets;
};

export const watchStop = (turn: Turn): void => {
  const { state, time, out } = turn;
  const { stopping } = state;
  if (stopping === null || stopping.said) return;
  if (stopping.until !== null && time.now >= stopping.until) {
    for (const id of state.calling) {
      const attempt = state.attempts.get(id);
      if (attempt !== undefined) abort(turn, attempt, 'shutdown');
    }
  }
  if (isBusy(state)) return;
  stopping.said = true;
  out.push({ type: 'drained' });
};
