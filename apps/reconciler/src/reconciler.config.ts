import { baseConfigSchema, millis, wholeNumber } from '@holdfast/service';
import { DEFAULTS } from '@holdfast/events';
import type { z } from 'zod';

/** What the reconciler reads beside what every service reads. */
export const reconcilerConfigSchema = baseConfigSchema.extend({
  /** Questions to tools under way at the same time. */
  questions: wholeNumber(1, 1_024).default(16),
  /** How long a tool may take for its answer. */
  questionMs: millis(10, 600_000).default(10_000),
  probeFirstMs: millis(10).default(DEFAULTS.probeFirstMs),
  probeMaxMs: millis(10).default(DEFAULTS.probeMaxMs),
});
export type ReconcilerConfig = z.output<typeof reconcilerConfigSchema>;
