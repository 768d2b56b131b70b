import { effectsReportSchema, endReasonSchema, jsonSchema, standings } from '@holdfast/events';
import { z } from 'zod';
import { at, pageOf, pageQuerySchema, seq } from './common.js';

/** As `standingOf` has it. */
export const runStatuses = standings;
export const runStatusSchema = z.enum(runStatuses);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** One line of the list of runs. */
export const runSummarySchema = z.object({
  runId: z.string(),
  lane: z.int(),
  /** Number of the last event of the run in its lane. */
  seq,
  status: runStatusSchema,
  /** Null until it is over. */
  reason: endReasonSchema.nullable(),
  labels: z.record(z.string(), z.string()),
  tenant: z.string().nullable(),
  parentRunId: z.string().nullable(),
  acceptedAt: at,
  updatedAt: at,
  deadlineAt: at,
  endedAt: at.nullable(),
  /** Who has submitted it. */
  principal: z.string().nullable(),
  stepsOpen: z.int(),
  stepsSucceeded: z.int(),
  stepsFailed: z.int(),
  effectsApplied: z.int(),
  doubtsOpen: z.int(),
  questionsOpen: z.int(),
  /** What it waits for, in words; null while it moves. */
  waitingFor: z.string().nullable(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/** One limit of a run: `used` holds what is reserved too. Amounts are text, since money is decimal. */
export const gaugeSchema = z.object({
  kind: z.string(),
  used: z.string(),
  /** Null where nothing bounds it. */
  limit: z.string().nullable(),
  left: z.string().nullable(),
});

export const runDetailSchema = runSummarySchema.extend({
  requestId: z.string(),
  program: jsonSchema,
  input: jsonSchema,
  tools: z.record(z.string(), jsonSchema),
  output: jsonSchema.nullable(),
  /** Why it ended, in words; null until then. */
  detail: z.string().nullable(),
  report: effectsReportSchema.nullable(),
  budgets: z.array(gaugeSchema),
  cancel: z.object({ reason: z.string(), by: z.string().nullable(), deadlineAt: at }).nullable(),
  paused: z.object({ reason: z.string(), by: z.string().nullable(), since: at }).nullable(),
  children: z.array(z.string()),
});
export type RunDetail = z.infer<typeof runDetailSchema>;

/** How many runs there are of each status, and what needs somebody. */
export const countersSchema = z.object({
  runs: z.record(z.string(), z.int()),
  doubtsOpen: z.int(),
  questionsOpen: z.int(),
  deadLetters: z.int(),
});
export type Counters = z.infer<typeof countersSchema>;

export const runsQuerySchema = pageQuerySchema.extend({
  status: z.array(runStatusSchema).optional(),
  reason: z.array(endReasonSchema).optional(),
  /** `key=value`, all of them. */
  label: z.array(z.string()).optional(),
  /** Part of a run id, of a label, of the reason of its end. */
  text: z.string().max(200).optional(),
  acceptedFrom: z.coerce.number().int().optional(),
  acceptedTo: z.coerce.number().int().optional(),
  tenant: z.string().optional(),
});
export const runPageSchema = pageOf(runSummarySchema);

/** One record of history. */
export const historyEntrySchema = z.object({
  seq,
  offset: z.int(),
  at,
  type: z.string(),
  stepId: z.string().nullable(),
  principal: z.string().nullable(),
  /** The event as a sentence. */
  words: z.string(),
  data: jsonSchema,
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;
export const historyQuerySchema = pageQuerySchema.extend({
  type: z.array(z.string()).optional(),
  text: z.string().max(200).optional(),
  step: z.string().optional(),
  order: z.enum(['asc', 'desc']).default('asc'),
  /** The first number of the page in that order: of events that are not before it, or not after it. */
  from: z.coerce.number().int().nonnegative().optional(),
});
export const historyPageSchema = pageOf(historyEntrySchema);

/** The run as it was after the event with that number. */
export const stateSchema = z.object({ runId: z.string(), seq, at, state: jsonSchema, words: z.string() });
export const stateQuerySchema = z.object({ seq: z.coerce.number().int().nonnegative().optional() });

/** What a run or a tenant may use, and what of it is used. */
export const budgetsSchema = z.object({ owner: z.string(), gauges: z.array(gaugeSchema) });
export type BudgetsView = z.infer<typeof budgetsSchema>;
