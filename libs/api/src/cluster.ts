import { catalogueToolSchema } from '@holdfast/contracts';
import { jsonSchema } from '@holdfast/events';
import { z } from 'zod';
import { at, pageOf, pageQuerySchema } from './common.js';
import { answerSchema, WAIT_MS_MAX } from './requests.js';

/** A parent of workers, as its heartbeats show it. */
export const executorSchema = z.object({
  executor: z.string(),
  alive: z.boolean(),
  lastBeatAt: at,
  sessions: z.array(z.object({ session: z.string(), state: z.enum(['open', 'draining', 'ended']) })),
  queues: z.array(z.object({ queue: z.string(), partitions: z.array(z.int()), slots: z.int(), free: z.int() })),
  tools: z.array(z.string()),
});
export type ExecutorView = z.infer<typeof executorSchema>;

/** A tool that executors have published: what a step of a plan may call. */
export const toolSchema = catalogueToolSchema.omit({ hash: true, verify: true, spawns: true }).extend({
  /** `name@version`, as a step names it. */
  tool: z.string(),
  /** Whether an executor that is alive serves it. */
  served: z.boolean(),
});
export type ToolView = z.infer<typeof toolSchema>;
export const toolPageSchema = pageOf(toolSchema);
export const toolsQuerySchema = pageQuerySchema.extend({
  /** Only this one: `name@version`. */
  tool: z.string().max(300).optional(),
  /** Part of the name or of the description. */
  text: z.string().max(200).optional(),
});

/** A lane: who owns it, and how far those that read it are. `null`: not known. */
export const laneSchema = z.object({
  lane: z.int(),
  epoch: z.int(),
  owner: z.string().nullable(),
  /** When its owner last said that it is alive. */
  ownerBeatAt: at.nullable(),
  /** End of its history in the log, and up to where it is projected. */
  end: z.int(),
  projected: z.int(),
  lagRecords: z.int(),
  /** How long ago the last projected record was written, while there are later ones; 0 where there are none. */
  lagMs: z.int(),
  /** Requests that its coordinator has not taken yet. */
  requestsWaiting: z.int(),
  runsOpen: z.int(),
  /** Why it stands still; null where it does not. */
  broken: z.string().nullable(),
});
export type LaneView = z.infer<typeof laneSchema>;

export const deadLetterSchema = z.object({
  /** `partition/offset` in the topic of dead letters. */
  id: z.string(),
  topic: z.string(),
  partition: z.int(),
  offset: z.int(),
  key: z.string().nullable(),
  code: z.string(),
  reason: z.string(),
  by: z.string(),
  at,
  bytes: z.int(),
  /** Times that it was sent again, and by whom last. */
  sentAgain: z.int(),
  sentAgainBy: z.string().nullable(),
  /** Only where one is asked for: its text, or base64 where it is none. */
  value: z.object({ encoding: z.enum(['utf8', 'base64']), text: z.string() }).optional(),
});
export type DeadLetterView = z.infer<typeof deadLetterSchema>;
export const deadLettersQuerySchema = pageQuerySchema.extend({ topic: z.string().optional() });
export const deadLetterPageSchema = pageOf(deadLetterSchema);
/** `waitMs`: how long to wait for what the coordinator says to it. */
export const sendAgainBodySchema = z.strictObject({ waitMs: z.int().min(0).max(WAIT_MS_MAX).optional() });
/** Who sends a dead letter again is who asks. */
export const sentAgainSchema = z.object({
  id: z.string(),
  topic: z.string(),
  partition: z.int(),
  /** Where its copy is now. */
  offset: z.int(),
  sentAgain: z.int(),
  sentAgainBy: z.string(),
  /** What its coordinator has said: `unchanged` where it was done already; null where nothing was said in time. */
  answer: answerSchema.nullable(),
});
export type SentAgain = z.infer<typeof sentAgainSchema>;

export const executorsSchema = z.object({ items: z.array(executorSchema) });
export const lanesSchema = z.object({ items: z.array(laneSchema) });

/** How far one partition of a topic is in the database, and whether what is there is what the log says. */
export const projectionSchema = z.object({
  source: z.string(),
  partition: z.int(),
  nextOffset: z.int(),
  end: z.int(),
  lagRecords: z.int(),
  updatedAt: at.nullable(),
});
export type ProjectionView = z.infer<typeof projectionSchema>;
/** What the comparison of the rows with the log has found so far; null where none goes on in this gateway. */
export const shadowSchema = z.object({
  /** How often a lane was compared whole. */
  rounds: z.int(),
  rowsCompared: z.int(),
  /** Where it is at the moment. */
  at: z.object({ lane: z.int(), offset: z.int() }).nullable(),
  /** The first difference that was found; null where there is none. */
  differs: z.object({ lane: z.int(), offset: z.int(), detail: z.string() }).nullable(),
});
export const projectionsSchema = z.object({ items: z.array(projectionSchema), shadow: shadowSchema.nullable() });
export const rebuildSchema = z.object({ outcome: z.literal('begun'), lanes: z.int() });

export const healthSchema = z.object({
  ready: z.boolean(),
  reasons: z.array(z.string()),
  version: z.string(),
  namespace: z.string(),
  lanes: z.int(),
  details: z.record(z.string(), jsonSchema),
});
