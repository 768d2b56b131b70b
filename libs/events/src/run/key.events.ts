import { z } from 'zod';
import { concurrencyKeySchema, runIdSchema } from '../ids.js';
import { fact } from './fact.js';

const at = z.int().nonnegative();

export const conflictPolicies = ['queue', 'reject', 'cancel-older', 'coalesce'] as const;
/** One run of a key at a time, on all lanes; the policy says what a newcomer does when another run has it. */
export const concurrencySchema = z.strictObject({ key: concurrencyKeySchema, policy: z.enum(conflictPolicies) });
export type Concurrency = z.infer<typeof concurrencySchema>;

/** A run by its id and its `runKey`: an id that is used again never stands for the older run. */
export const runTicketSchema = z.object({ runId: runIdSchema, ticket: z.string() });
export type RunTicket = z.infer<typeof runTicketSchema>;

/** Why a run does not get its key. */
export const keyDenials = ['held', 'joined', 'older_generation', 'queue_full', 'too_many_keys'] as const;
export const keyDenialSchema = z.enum(keyDenials);
export type KeyDenial = z.infer<typeof keyDenialSchema>;

/** Facts of a run about the key that it shares with others, and about being replaced. */
export const keyEventSchemas = [
  fact('KeyGranted', {
    key: z.string(),
    /** Older runs that go, since this one replaces them. */
    displaces: z.array(runTicketSchema),
    grantedAt: at,
  }),
  fact('KeyAwaited', {
    key: z.string(),
    /** The run that has the key at that moment. */
    holder: z.string(),
    /** From 1. */
    place: z.int().positive(),
    displaces: z.array(runTicketSchema),
    since: at,
  }),
  fact('KeyDenied', { key: z.string(), code: keyDenialSchema, by: z.string().nullable(), detail: z.string() }),
  fact('RunSuperseded', {
    /** The run that takes its place; null where its time of validity is over. */
    by: z.string().nullable(),
    detail: z.string(),
    deadlineAt: at,
  }),
] as const;
