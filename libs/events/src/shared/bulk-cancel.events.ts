import { z } from 'zod';
import { fact } from '../run/fact.js';

const count = z.int().nonnegative();

/** Facts about a cancel of all runs of a lane that have some labels. */
export const bulkCancelEventSchemas = [
  fact('BulkCancelRequested', {
    lane: z.int().nonnegative(),
    requestId: z.string(),
    principal: z.string().nullable(),
    reason: z.string(),
    labels: z.record(z.string(), z.string()),
    deadlineAt: count,
    mode: z.enum(['abort', 'drain']),
    /** Only runs that were accepted before this number of the lane are meant. */
    beforeSeq: count,
    /** How many there were. */
    runs: count,
    /** Whether their effects are undone afterwards, where the request says so. */
    compensate: z.boolean().optional(),
  }),
  /** `cancelled` counts from the beginning. */
  fact('BulkCancelAdvanced', { requestId: z.string(), cancelled: count }),
  fact('BulkCancelEnded', { requestId: z.string(), cancelled: count }),
] as const;
