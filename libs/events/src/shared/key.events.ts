import { z } from 'zod';
import { runIdSchema } from '../ids.js';
import { fact } from '../run/fact.js';
import { conflictPolicies, keyDenialSchema, runTicketSchema } from '../run/key.events.js';

const at = z.int().nonnegative();
const about = { key: z.string(), runId: runIdSchema, ticket: z.string(), at };
/** The highest one that was seen counts from here on. */
const generation = z.int().nonnegative().optional();

/** Facts about concurrency keys. All but the last are on the lane of `key/<key>`, which alone says who has a key. */
export const keySharedEventSchemas = [
  fact('KeyAssigned', { ...about, generation, displaces: z.array(runTicketSchema) }),
  fact('KeyQueued', {
    ...about,
    generation,
    policy: z.enum(conflictPolicies),
    /** Before all others, since it replaces them. */
    front: z.boolean(),
    holder: z.string(),
    place: z.int().positive(),
    displaces: z.array(runTicketSchema),
  }),
  fact('KeyRefused', {
    ...about,
    generation,
    code: keyDenialSchema,
    /** The run that has the key, or that has raised the generation. */
    by: z.string().nullable(),
  }),
  fact('KeyFreed', { ...about, until: at.nullable() }),
  fact('KeyForgotten', { key: z.string() }),
  /** On the lane of a run that is over or unknown: the key was granted to it, and it cannot use it. */
  fact('KeyReturned', about),
] as const;
