import type { LiveRun } from '@holdfast/events';

/** A cancel never gives a run more time than it had. */
export const cancelDeadline = (run: LiveRun, askedFor: number, now: number): number =>
  Math.min(askedFor, Math.max(now, run.deadlineAt));
