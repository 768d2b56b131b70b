import { DEFAULTS, LIMITS } from '@holdfast/events';
import type { Retry } from '@holdfast/programs';

/** Pause before the next try after `failures` failed ones, ms: grows by `factor` up to `backoffMaxMs`. No randomness: it is decided once and stored. */
export const backoffMs = (retry: Retry | undefined, failures: number): number => {
  const first = retry?.backoffMs ?? DEFAULTS.backoffFirstMs;
  const factor = retry?.factor ?? DEFAULTS.backoffFactor;
  return Math.min(Math.round(first * factor ** (failures - 1)), retry?.backoffMaxMs ?? DEFAULTS.backoffMaxMs);
};

type Said = { readonly retry: 'now' | 'later' | 'never'; readonly retryAfterMs?: number | undefined };

/**
 * The pause before the next try, never shorter than whoever was asked says. Only a hint that asks for more than the pause
 * of the plan, and for a second at least, is one to come back: a shorter one is a failure like any other.
 */
export const pauseAfter = (
  retry: Retry | undefined,
  failures: number,
  { retry: when, retryAfterMs = 0 }: Said,
): { readonly pauseMs: number; readonly isTold: boolean } => {
  const told = Math.min(retryAfterMs, LIMITS.waitMs);
  const own = when === 'now' ? 0 : backoffMs(retry, failures);
  const isTold = when !== 'never' && told >= Math.max(own, DEFAULTS.backoffFirstMs);
  return { pauseMs: Math.max(own, told), isTold };
};
