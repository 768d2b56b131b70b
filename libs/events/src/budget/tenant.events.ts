import { z } from 'zod';
import { tenantSchema } from '../ids.js';
import { amountsSchema } from './amounts.js';

const at = z.int().nonnegative();
const ask = z.int().positive();
/** The run that does not end before this one. */
const parent = z.string().optional();

/** Facts about what tenants may use and what of it their runs have. Within a version only optional fields may be added. */
export const tenantEventSchemas = [
  z.object({
    type: z.literal('TenantBudgetSet'),
    version: z.literal(1),
    data: z.object({
      /** The name whose lane the tenant lives on. */
      runId: z.string(),
      tenant: tenantSchema,
      requestId: z.string(),
      principal: z.string().nullable(),
      /** The most of each kind; what is not named is not bounded by the tenant. */
      amounts: amountsSchema,
    }),
  }),
  z.object({
    type: z.literal('GrantGiven'),
    version: z.literal(1),
    data: z.object({
      tenant: tenantSchema,
      runId: z.string(),
      ask,
      /** All that the run has been granted so far. */
      total: amountsSchema,
      /** Why it gets no more; null where it does. */
      denied: z.string().nullable(),
      parent,
    }),
  }),
  z.object({
    type: z.literal('GrantQueued'),
    version: z.literal(1),
    data: z.object({ tenant: tenantSchema, runId: z.string(), ask, need: amountsSchema, want: amountsSchema, parent }),
  }),
  z.object({
    type: z.literal('GrantSettled'),
    version: z.literal(1),
    data: z.object({
      tenant: tenantSchema,
      runId: z.string(),
      /** Number of the record in the lane of the run that says so: a later one counts. */
      seq: z.int().nonnegative(),
      /** What the run has used of each kind that its tenant bounds; the rest is given back. */
      keeps: amountsSchema,
      /** Nothing of the run is in doubt any more. */
      final: z.boolean(),
      /** Until when the run is remembered, so that what it asked before its end is not granted. */
      until: at,
    }),
  }),
  z.object({
    type: z.literal('GrantForgotten'),
    version: z.literal(1),
    data: z.object({ tenant: tenantSchema, runId: z.string() }),
  }),
] as const;
