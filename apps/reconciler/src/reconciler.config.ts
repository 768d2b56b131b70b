import { baseConfigSchema, millis, wholeNumber } from '@holdfast/service';
import { DEFAULTS } from '@holdfast/events';
import type { z } from 'zod';

/** What the reconciler reads beside what every service reads. */
export const reconcilerConfigSchema = baseConfigSchema.extend({
  questions: wholeNumber(1, 1_024).default(16).describe('questions to tools under way at a time'),
  questionMs: millis(10, 600_000).default(10_000).describe('how long a tool may take for its answer'),
  probeFirstMs: millis(10)
    .default(DEFAULTS.probeFirstMs)
    .describe('pause after the first answer that tells nothing; doubles each time'),
  probeMaxMs: millis(10).default(DEFAULTS.probeMaxMs).describe('the longest such pause'),
});
export type ReconcilerConfig = z.output<typeof reconcilerConfigSchema>;
