import type { LiveRun } from '@holdfast/events';
import type { Env } from './env.js';

type Bound = { readonly withinMs?: number | undefined; readonly deadlineAt?: number | undefined };

/** How long a cancel may take: until the moment that it names, or the time that it gives. */
export const withinOf = ({ withinMs, deadlineAt }: Bound, { now, settings }: Env): number =>
  deadlineAt === undefined ? (withinMs ?? settings.cancelMs) : Math.max(0, deadlineAt - now);

/** A cancel never gives a run more time than it had. */
export const cancelDeadline = (run: LiveRun, askedFor: number, now: number): number =>
  Math.min(askedFor, Math.max(now, run.deadlineAt));

/** When a cancelled run is ended at the latest, epoch ms: early enough that its end is history by the deadline. */
export const cancelEndsAt = ({ deadlineAt }: { readonly deadlineAt: number }, env: Env): number =>
  deadlineAt - env.settings.endLeadMs;

/**
 * The deadline of the children of a cancelled run, epoch ms: they end before it does, so that it can still hear how. Where
 * little time is left they have half of it.
 */
export const childrenEndBy = ({ deadlineAt }: { readonly deadlineAt: number }, env: Env): number => {
  const left = cancelEndsAt({ deadlineAt }, env) - env.now;
  return deadlineAt - Math.max(0, Math.min(env.settings.endLeadMs, Math.floor(left / 2)));
};
