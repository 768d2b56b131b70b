import { requestKind } from '@holdfast/contracts';
import { endReasonSchema, jsonSchema, LIMITS, runIdSchema } from '@holdfast/events';
import { z } from 'zod';

/**
 * What every change has: the same `requestId` again is the same request, so that it may be repeated after a lost
 * answer. Without one the gateway makes one and answers it. `waitMs`: how long to wait for the coordinator's answer
 * (200 when it came, 202 when it did not come in time); 0 by default.
 */
export const WAIT_MS_MAX = 30_000;
export const requestIdSchema = z.string().min(1).max(180);
export const askingSchema = z.strictObject({
  requestId: requestIdSchema.optional(),
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

/** The answers of all lanes to a cancel of many runs; a lane that has not answered is `pending`. */
export const bulkAnswerSchema = z.object({ requestId: z.string(), answers: z.array(answerSchema) });
export type BulkAnswerView = z.infer<typeof bulkAnswerSchema>;

const { SubmitRun, CancelRun, CancelRuns, SteerRun, AnswerEscalation, SetTenantBudget } = requestKind.types;

/** A submission. What only a parent run says about its child, and what a fork takes over, is not to be said here. */
export const submitBodySchema = askingSchema.extend(
  SubmitRun.omit({ requestId: true, parent: true, limits: true, bornBy: true, fork: true }).shape,
);
export const cancelBodySchema = askingSchema.extend(
  CancelRun.omit({ requestId: true, runId: true, child: true, deadlineAt: true }).shape,
);
/** Cancels all runs that have all of these labels and are known by now. */
export const bulkCancelBodySchema = askingSchema.extend(CancelRuns.omit({ requestId: true, lane: true }).shape);
export const reasonBodySchema = askingSchema.extend({ reason: z.string().max(2_000).optional() });
export const steerBodySchema = askingSchema
  .extend({
    reason: SteerRun.shape.reason,
    deadlineMs: SteerRun.shape.deadlineMs,
    windows: SteerRun.shape.windows,
    limits: SteerRun.shape.limits,
  })
  .refine(
    ({ deadlineMs, windows, limits }) => deadlineMs !== undefined || windows !== undefined || limits !== undefined,
    'says nothing that is to be different',
  );
/** An answer to a question; the question is named by its number (`escalation`) or by its step. */
export const answerBodySchema = askingSchema
  .extend(AnswerEscalation.omit({ requestId: true, runId: true }).shape)
  .refine(({ escalation, stepId }) => escalation !== undefined || stepId !== undefined, {
    path: ['escalation'],
    error: 'either escalation or stepId says which question is answered',
  });
/** What a run waits for from outside: the value is the answer to the open question of the step. */
export const signalBodySchema = askingSchema.extend({ value: jsonSchema, note: z.string().max(2_000).optional() });
export const tenantBudgetBodySchema = askingSchema.extend({ budget: SetTenantBudget.shape.budget });

export const forkBodySchema = askingSchema.extend({
  runId: runIdSchema,
  /** The first step that is done again, with all that waits for it; without it only what has not succeeded. */
  from: z.string().min(1).max(500).nullable().optional(),
  /** Steps whose effects may be made again, although the old run has or may have made them; `file[*].write` for all items. */
  repeat: z.array(z.string().min(1).max(500)).max(LIMITS.forkRepeatMax).optional(),
  labels: SubmitRun.shape.labels,
  deadlineMs: SubmitRun.shape.deadlineMs,
  budget: SubmitRun.shape.budget,
  tenant: SubmitRun.shape.tenant,
});
export const forkQuerySchema = z.object({ from: z.string().min(1).max(500).optional() });
/** So many steps are named at most in each list of a plan of a fork; those that need leave come first. */
export const FORK_NAMED_MAX = 500;
/** What a fork would do, before it does it. */
export const forkPlanSchema = z.object({
  from: z.string().nullable(),
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
