import { DEFAULTS } from '@holdfast/events';
import { baseConfigSchema, wholeNumber } from '@holdfast/service';
import type { z } from 'zod';

/** Read by the parent and, out of the same environment, by its worker. */
export const executorConfigSchema = baseConfigSchema.extend({
  /** Calls under way at a time. */
  concurrency: wholeNumber(1, 10_000).default(32),
  /** After so many deaths of the worker during a `pure` call, the call is not made again. */
  deathsMax: wholeNumber(1, 100).default(DEFAULTS.deathsMax),
});
export type ExecutorConfig = z.output<typeof executorConfigSchema>;
