import { DEFAULTS } from '@holdfast/events';
import { baseConfigSchema, wholeNumber } from '@holdfast/service';
import type { z } from 'zod';

/** Read by the parent and, out of the same environment, by its worker. */
export const executorConfigSchema = baseConfigSchema.extend({
  concurrency: wholeNumber(1, 10_000).default(32).describe('calls under way at a time'),
  deathsMax: wholeNumber(1, 100)
    .default(DEFAULTS.deathsMax)
    .describe('deaths of the worker during a pure call after which a person is asked'),
});
export type ExecutorConfig = z.output<typeof executorConfigSchema>;
