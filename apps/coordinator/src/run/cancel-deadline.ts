import type { LiveRun } from '@holdfast/events';
import type { Env } from './env.js';

/** A cancel never gives a run more time than it had. */
export const cancelDeadline = (run: LiveRun, withinMs: number, env: Env): number =>
  Math.min(env.now + withinMs, Math.max(env.now, run.deadlineAt));
