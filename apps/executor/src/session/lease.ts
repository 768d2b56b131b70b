import type { Output } from './session.messages.js';
import type { ExecutorState, Session, Time } from './session.state.js';
import type { Turn } from './turn.js';

/**
 * How long ago `from` was. One of the clocks may stand still (a suspended machine) or be set; the larger one counts.
 */
export const elapsedMs = (from: Time, to: Time): number => Math.max(to.mono - from.mono, to.now - from.now);

/**
 * Up to where the wall clock has come for sure: as it stands if nobody has set it since a heartbeat showed it to be
 * right. What is forgotten is forgotten by this: a clock that was set forward may be set back.
 */
export const surelyPassed = ({ right }: ExecutorState, { now, mono }: Time): number =>
  right === null ? now : Math.floor(right.now + mono - right.mono);

/**
 * The time to act by. A wall clock that was set back, or that goes back by itself, counts on with the monotonic one
 * until a heartbeat shows it to be right: no call lasts longer for it, and no claim names a deadline that others take
 * for past.
 */
export const timeToActBy = (state: ExecutorState, time: Time): Time => ({
  now: Math.max(time.now, surelyPassed(state, time)),
  mono: time.mono,
});

/**
 * Whether the coordinators must still take the session for alive, with a margin for what is done next. Once they need
 * not it never is again: a process that wakes up may hear of its own heartbeat before it hears of anything else.
 */
export const isFresh = ({ settings }: ExecutorState, session: Session | undefined, time: Time): boolean => {
  if (!settings.rules.heartbeatFresh) return session !== undefined;
  if (session === undefined || session.lapsed) return false;
  const { beat } = session;
  return beat !== null && elapsedMs(beat, time) < settings.leaseMs - settings.leaseMarginMs;
};

/** Whether a heartbeat has shown that the clock is right, and none since that it is off. */
export const isClockRight = ({ right, clockOffMs, settings }: ExecutorState): boolean =>
  right !== null && Math.abs(clockOffMs) <= settings.skewMs;

/** Whether new work may be taken at all. */
export const mayTake = (state: ExecutorState, time: Time): boolean =>
  state.open !== null &&
  state.stopping === null &&
  isClockRight(state) &&
  isFresh(state, state.sessions.get(state.open), time);

export const sessionOpened = (turn: Turn, id: string): void => {
  const { state } = turn;
  if (state.sessions.has(id)) return;
  const before = state.open === null ? undefined : state.sessions.get(state.open);
  state.sessions.set(id, { id, draining: false, lapsed: false, beat: null, attempts: 0 });
  state.open = id;
  if (before !== undefined) startDraining(turn, before);
};

/** A heartbeat that named `sessions`, sent at `sent` by the clocks as they are, is in the log. */
export const beatAcknowledged = (turn: Turn, sessions: readonly string[], sent: Time): void => {
  const { state, out } = turn;
  for (const id of sessions) {
    const session = state.sessions.get(id);
    if (session === undefined || (session.beat !== null && sent.mono <= session.beat.mono)) continue;
    const beat = timeToActBy(state, sent);
    const gapMs = session.beat === null ? 0 : elapsedMs(session.beat, beat);
    session.beat = beat;
    if (gapMs <= state.settings.leaseMs || !state.settings.rules.heartbeatFresh) continue;
    session.lapsed = true;
    if (session.draining) continue;
    out.push({ type: 'session-draining', session: id, reason: `no heartbeat for ${Math.round(gapMs)} ms` });
    startDraining(turn, session);
  }
};

const startDraining = (turn: Turn, session: Session): void => {
  session.draining = true;
  if (turn.state.open === session.id) turn.state.open = null;
  sayWhenOver(turn, session);
};

export const enterSession = ({ state }: Turn, id: string): void => {
  const session = state.sessions.get(id);
  if (session !== undefined) session.attempts += 1;
};

export const leaveSession = (turn: Turn, id: string | null): void => {
  const session = id === null ? undefined : turn.state.sessions.get(id);
  if (session === undefined) return;
  session.attempts -= 1;
  sayWhenOver(turn, session);
};

const sayWhenOver = ({ state, out }: Turn, session: Session): void => {
  if (!session.draining || session.attempts > 0) return;
  state.sessions.delete(session.id);
  const over: Output = { type: 'session-over', session: session.id };
  out.push(over);
};
