import { endReasonSchema, jsonSchema, runIdSchema } from '@holdfast/events';
import { z } from 'zod';

/**
 * What every change has: the same `requestId` again is the same request, so that it may be repeated after a lost
 * answer. Without one the gateway makes one and answers it. `waitMs`: how long to wait for the coordinator's answer
 * (200 when it came, 202 when it did not come in time); 0 by default.
 */
export const WAIT_MS_MAX = 30_000;
export const askingSchema = z.strictObject({
  requestId: z.string().min(1).max(200).optional(),
  waitMs: z.int().min(0).max(WAIT_MS_MAX).optional(),
});

export const outcomes = ['accepted', 'refused', 'unchanged', 'pending'] as const;
/** What became of a request; `pending`: it is in the log and not answered yet. */
export const answerSchema = z.object({
  requestId: z.string(),
  runId: z.string(),
  outcome: z.enum(outcomes),
  code: z.string().optional(),
  message: z.string().optional(),
  details: jsonSchema.optional(),
});
export type AnswerView = z.infer<typeof answerSchema>;

export const cancelBodySchema = askingSchema.extend({
  reason: z.string().max(2_000).optional(),
  withinMs: z.int().min(0).optional(),
  mode: z.enum(['abort', 'drain']).optional(),
  compensate: z.boolean().optional(),
});
export const reasonBodySchema = askingSchema.extend({ reason: z.string().max(2_000).optional() });

export const forkBodySchema = askingSchema.extend({
  runId: runIdSchema,
  /** The first step that is done again; what had succeeded before it is taken over. */
  from: z.string().min(1),
  /** Steps whose effects may be made again, although the old run has or may have made them. */
  repeat: z.array(z.string()).optional(),
  labels: z.record(z.string(), z.string()).optional(),
});
/** What a fork would do, before it does it. */
export const forkPlanSchema = z.object({
  from: z.string(),
  /** Steps whose results are taken over. */
  kept: z.array(z.string()),
  keptTotal: z.int(),
  again: z.array(
    z.object({
      stepId: z.string(),
      tool: z.string(),
      policy: z.string(),
      effect: z.enum(['none', 'applied', 'in_doubt']),
      /** `free`: nothing outside changes twice; `ask`: only where it is named. */
      repeat: z.enum(['free', 'ask']),
      why: z.string(),
    }),
  ),
  againTotal: z.int(),
  /** Why it cannot be done at all; null where it can. */
  refused: z.string().nullable(),
});
export type ForkPlan = z.infer<typeof forkPlanSchema>;

export const explanationSchema = z.object({
  runId: z.string(),
  at: z.int(),
  seq: z.int(),
  headline: z.string(),
  parts: z.array(
    z.object({
      about: z.enum(['moving', 'effects', 'cost', 'cancel', 'resume', 'repeat']),
      title: z.string(),
      lines: z.array(z.string()),
    }),
  ),
});

/** What is sent live: one record of history, with the run after it; `id` is what to go on after. */
export const liveEventSchema = z.object({
  runId: z.string().nullable(),
  lane: z.int(),
  seq: z.int(),
  at: z.int(),
  type: z.string(),
  words: z.string(),
  reason: endReasonSchema.optional(),
});
export type LiveEvent = z.infer<typeof liveEventSchema>;
