import { z } from 'zod';
import { amountsSchema } from './budget/amounts.js';

/**
 * What the runtime may do with an effect that may have happened.
 * pure: no effect, run again · repeatable: costs, harms nothing, run again · keyed: run again with the same key while
 * the tool remembers it · verifiable: ask the tool · unprotected: ask a person.
 */
export const replayPolicies = ['pure', 'repeatable', 'keyed', 'verifiable', 'unprotected'] as const;
export const replayPolicySchema = z.enum(replayPolicies);
export type ReplayPolicy = z.infer<typeof replayPolicySchema>;

/** Whether a call of the tool changes something outside that must not happen twice. */
export const hasEffect = (policy: ReplayPolicy): boolean =>
  policy === 'keyed' || policy === 'verifiable' || policy === 'unprotected';

/** What a run keeps of a tool when it is accepted: later versions of the catalogue do not change a running run. */
export const toolPinSchema = z.object({
  name: z.string(),
  version: z.string(),
  policy: replayPolicySchema,
  queue: z.string(),
  timeoutMs: z.int().positive(),
  settleMs: z.int().nonnegative(),
  /** How long the tool drops repeats of a key; only for `keyed`. */
  keyTtlMs: z.int().positive().optional(),
  /** Whether the tool can be asked what happened. */
  verify: z.boolean(),
  /** Whether a call may leave processes behind that outlive its worker. */
  spawns: z.boolean(),
  /** The tool that undoes what this one does: `name@version`. */
  compensate: z.string().optional(),
  /** What one call may use at most. */
  cost: amountsSchema.optional(),
  hash: z.string(),
});
export type ToolPin = z.infer<typeof toolPinSchema>;

export const toolRef = (tool: { readonly name: string; readonly version: string }): string =>
  `${tool.name}@${tool.version}`;
