import { jsonSchema } from '@holdfast/events';
import { z } from 'zod';
import { at, pageOf, pageQuerySchema, seq } from './common.js';

export const stepStatuses = ['open', 'doubtful', 'waiting', 'succeeded', 'failed', 'left'] as const;

/** A step that was scheduled at least once. `left`: the run ended while it was open. */
export const stepSchema = z.object({
  stepId: z.string(),
  tool: z.string(),
  policy: z.string(),
  status: z.enum(stepStatuses),
  attempts: z.int(),
  tries: z.int(),
  scheduledAt: at,
  endedAt: at.nullable(),
  failure: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** Given only when one step is asked for. */
  args: jsonSchema.optional(),
  result: jsonSchema.optional(),
});
export type StepView = z.infer<typeof stepSchema>;

export const attemptStatuses = [
  'open',
  'held',
  'doubtful',
  'succeeded',
  'failed',
  'closed',
  'skipped',
  'absent',
] as const;

/** One try at a step, and what became of its effect. */
export const attemptSchema = z.object({
  stepId: z.string(),
  attempt: z.int(),
  tool: z.string(),
  policy: z.string(),
  status: z.enum(attemptStatuses),
  settling: z.boolean(),
  queue: z.string(),
  partition: z.int(),
  /** Who holds or held it; null where nobody is known to. */
  session: z.string().nullable(),
  /** What became of its effect: null for tools without any, or while nobody can say. */
  effect: z.enum(['applied', 'absent', 'in_doubt', 'conflict']).nullable(),
  scheduledAt: at,
  heldAt: at.nullable(),
  endedAt: at.nullable(),
});
export type AttemptView = z.infer<typeof attemptSchema>;

/** A doubt with what was found about it so far. */
export const doubtSchema = z.object({
  runId: z.string(),
  stepId: z.string(),
  attempt: z.int(),
  seq,
  tool: z.string(),
  cause: z.string(),
  holds: z.string(),
  openedAt: at,
  /** From then on nothing can land any more. */
  settledAt: at,
  /** Then a person is asked. */
  settleBy: at,
  probes: z.int(),
  /** The last thing that was found, in words. */
  evidence: z.string().nullable(),
  verdict: z.string().nullable(),
  by: z.string().nullable(),
  endedAt: at.nullable(),
});
export type DoubtEntry = z.infer<typeof doubtSchema>;

/** A question to a person. */
export const questionSchema = z.object({
  runId: z.string(),
  seq,
  stepId: z.string(),
  kind: z.string(),
  question: z.string(),
  context: jsonSchema,
  choices: z.array(z.string()),
  /** What an answer with a value must be. */
  schema: jsonSchema.nullable(),
  /** The very call that is approved: tool, arguments, their hash. */
  approves: jsonSchema.nullable(),
  assignees: z.array(z.object({ to: z.string(), afterMs: z.int() })),
  openedAt: at,
  expiresAt: at,
  onSilence: z.string(),
  status: z.enum(['open', 'answered', 'expired', 'withdrawn']),
  choice: z.string().nullable(),
  answeredBy: z.string().nullable(),
  note: z.string().nullable(),
  endedAt: at.nullable(),
});
export type QuestionView = z.infer<typeof questionSchema>;

export const stepsQuerySchema = pageQuerySchema.extend({
  status: z.array(z.enum(stepStatuses)).optional(),
  text: z.string().max(200).optional(),
});
export const stepPageSchema = pageOf(stepSchema);
export const attemptsQuerySchema = pageQuerySchema.extend({ step: z.string().optional() });
export const attemptPageSchema = pageOf(attemptSchema);
/** The ledger of effects: attempts at steps that change something outside. */
export const effectsQuerySchema = pageQuerySchema.extend({
  effect: z.array(z.enum(['applied', 'absent', 'in_doubt', 'conflict'])).optional(),
});
export const doubtsQuerySchema = pageQuerySchema.extend({
  run: z.string().optional(),
  open: z.stringbool().optional(),
});
export const doubtPageSchema = pageOf(doubtSchema);
export const questionsQuerySchema = pageQuerySchema.extend({
  run: z.string().optional(),
  status: z.array(z.enum(['open', 'answered', 'expired', 'withdrawn'])).optional(),
});
export const questionPageSchema = pageOf(questionSchema);
