import { jsonSchema } from '@holdfast/events';
import { z } from 'zod';

/** Epoch ms. */
export const at = z.int().nonnegative();
export const seq = z.int().nonnegative();

/** Most entries of one page, and how many there are where nobody says it. */
export const PAGE_MAX = 200;
export const PAGE_DEFAULT = 50;

/** One page: what is on it, and what to ask for the next one with (`cursor`); null on the last one. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() });

export const pageQuerySchema = z.object({
  cursor: z.string().max(4_000).optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT),
});

/** An error, as RFC 9457 has it; `code` is stable, `advice` says what to do. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  advice: z.string().optional(),
  /** What exactly is wrong, each with its place. */
  errors: z.array(z.object({ at: z.string(), message: z.string() })).optional(),
  /** What the coordinator says beside its code, where it has refused a request. */
  details: jsonSchema.optional(),
  /** The request that was refused: the same id again is the same request. */
  requestId: z.string().optional(),
});
export type Problem = z.infer<typeof problemSchema>;
