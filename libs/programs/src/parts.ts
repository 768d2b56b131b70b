import { z } from 'zod';

export const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must start with a letter and hold at most 64 letters, digits, _ or -');
/** `name@version` */
export const toolRef = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,99}@[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/, 'must look like name@version');
/** Ids of steps that come before. */
export const after = z.array(name).max(256).optional();

export const retrySchema = z.strictObject({
  /** Tries in all, the first one included. */
  triesMax: z.int().min(1).max(100).optional(),
  /** Pause before the second try; each further one is `factor` times longer, up to `backoffMaxMs`. */
  backoffMs: z.int().min(0).max(86_400_000).optional(),
  backoffMaxMs: z.int().min(0).max(86_400_000).optional(),
  factor: z.number().min(1).max(10).optional(),
});
export type Retry = z.infer<typeof retrySchema>;

export const durationMs = z
  .int()
  .min(1)
  .max(365 * 86_400_000);
