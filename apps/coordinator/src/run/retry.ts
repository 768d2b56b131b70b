import { DEFAULTS } from '@holdfast/events';
import type { Retry } from '@holdfast/programs';

/** Pause before the next try after `failures` failed ones, ms: grows by `factor` up to `backoffMaxMs`. No randomness: it is decided once and stored. */
export const backoffMs = (retry: Retry | undefined, failures: number): number => {
  const first = retry?.backoffMs ?? DEFAULTS.backoffFirstMs;
  const factor = retry?.factor ?? DEFAULTS.backoffFactor;
  return Math.min(Math.round(first * factor ** (failures - 1)), retry?.backoffMaxMs ?? DEFAULTS.backoffMaxMs);
};
