import { z } from 'zod';
import { amountsSchema } from './amounts.js';
import { limitsSchema } from './limits.js';

const amount = z.union([z.number().nonnegative(), z.string()]);
const ask = z.int().positive();

const shortage = z.object({ name: z.string(), kind: z.string(), most: amount, used: amount, wanted: amount });

/** Facts about what a run may use. Within a version only optional fields may be added. */
export const budgetEventSchemas = [
  z.object({
    type: z.literal('BudgetWarned'),
    version: z.literal(1),
    data: z.object({ limit: z.string(), most: amount, used: amount }),
  }),
  z.object({
    type: z.literal('BudgetExhausted'),
    version: z.literal(1),
    data: z.object({
      /** The step that could not be scheduled; null where the run as a whole has used too much. */
      atStep: z.string().nullable(),
      short: z.array(shortage),
      detail: z.string(),
      policy: z.enum(['end', 'ask']),
    }),
  }),
  z.object({
    type: z.literal('BudgetChanged'),
    version: z.literal(1),
    data: z.object({ limits: limitsSchema, principal: z.string().nullable(), requestId: z.string() }),
  }),
  z.object({
    type: z.literal('IdleClockStarted'),
    version: z.literal(1),
    data: z.object({ since: z.int().nonnegative() }),
  }),
  z.object({
    type: z.literal('LoopFound'),
    version: z.literal(1),
    data: z.object({
      level: z.enum(['warned', 'stopped']),
      /** The calls of one round, in their order: `tool#argsHash`. */
      pattern: z.array(z.string()),
      /** Calls that brought nothing new. */
      repeats: z.int().positive(),
      detail: z.string(),
      policy: z.enum(['warn', 'end', 'ask']),
    }),
  }),
  z.object({
    type: z.literal('GrantAsked'),
    version: z.literal(1),
    data: z.object({
      tenant: z.string(),
      ask,
      /** What the run must have in all to go on, and what it would like to have. */
      need: amountsSchema,
      want: amountsSchema,
      askedAt: z.int().nonnegative(),
    }),
  }),
  z.object({
    type: z.literal('GrantReceived'),
    version: z.literal(1),
    data: z.object({
      tenant: z.string(),
      ask,
      /** All that was granted to the run so far, of each kind that its tenant limits. */
      total: amountsSchema,
      /** Why nothing more is granted; null where it is. */
      denied: z.string().nullable(),
    }),
  }),
] as const;
