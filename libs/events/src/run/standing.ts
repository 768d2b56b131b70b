import { DEFAULTS } from '../limits.js';
import { isRecovering, waitsForKey, type RunState } from './run.state.js';
import { waitsFor, type Wait } from './waits-for.js';

/**
 * Where a run stands. `recovering`: a doubt holds it; `waiting`: for a key, an executor or a person, and nobody is at
 * work meanwhile; `closing`: over, with something left to find out.
 */
export const standings = ['running', 'waiting', 'recovering', 'paused', 'cancelling', 'closing', 'ended'] as const;
export type Standing = (typeof standings)[number];

/** While somebody is at work, or is about to be, the run moves. */
const moving: ReadonlySet<string> = new Set(['claim', 'outcome', 'closing']);
const forOthers: ReadonlySet<string> = new Set(['answer', 'key', 'place', 'resume']);

/** Where it stands as of `at`, and the first thing that it waits for; null while it moves. */
export const standingOf = (run: RunState, at: number): { readonly status: Standing; readonly waiting: Wait | null } => {
  if (run.status === 'ended') return { status: 'ended', waiting: null };
  const { graceMs, skewMs } = DEFAULTS;
  const waits = waitsFor(run, { now: at, graceMs, skewMs });
  const moves = waits.some(({ what }) => moving.has(what));
  const waiting = moves ? null : (waits[0] ?? null);
  if (run.status !== 'running') return { status: run.status, waiting };
  if (run.paused !== null) return { status: 'paused', waiting };
  if (isRecovering(run)) return { status: 'recovering', waiting };
  const isStuck = !moves && waits.some(({ what }) => forOthers.has(what));
  return { status: isStuck || waitsForKey(run) ? 'waiting' : 'running', waiting };
};
