import { jsonSchema } from '@holdfast/events';
import { z } from 'zod';
import { at, pageOf, pageQuerySchema } from './common.js';

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

export const healthSchema = z.object({
  ready: z.boolean(),
  reasons: z.array(z.string()),
  version: z.string(),
  namespace: z.string(),
  lanes: z.int(),
  details: z.record(z.string(), jsonSchema),
});
