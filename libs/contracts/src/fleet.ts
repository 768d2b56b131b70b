import { toolApprovalRulesSchema } from '@holdfast/programs';
import { amountsSchema, jsonSchema, replayPolicySchema } from '@holdfast/events';
import { z } from 'zod';
import { messageKind, type MessageOf } from './codec/message.js';

/** Who is alive, what it serves, what it wants. */
export const heartbeatKind = messageKind('a heartbeat', {
  ExecutorBeat: z.object({
    /** Random id of one parent's life. */
    executor: z.string(),
    sessions: z.array(z.object({ session: z.string(), state: z.enum(['open', 'draining']) })),
    queues: z.record(z.string(), z.object({ partitions: z.array(z.int()), slots: z.int(), free: z.int() })),
    tools: z.array(z.string()),
    at: z.int(),
  }),
  /** Final for the session: its process is gone (seen by its parent) or it has said its last word. */
  SessionEnded: z.object({
    executor: z.string(),
    session: z.string(),
    cause: z.enum(['exited', 'stopped', 'killed']),
    endedAt: z.int(),
  }),
  CoordinatorBeat: z.object({
    coordinator: z.string(),
    lanes: z.array(z.int()),
    /** How many of these lanes want places in a queue, by queue. */
    demand: z.record(z.string(), z.int()),
    at: z.int(),
  }),
  /** Nothing is decided from it: a reconciler's own records compare its clock with the broker's. */
  ReconcilerBeat: z.object({
    reconciler: z.string(),
    lanes: z.array(z.int()),
    at: z.int(),
  }),
});
export type Beat = MessageOf<typeof heartbeatKind.types>;

export const catalogueToolSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string().optional(),
  queue: z.string(),
  policy: replayPolicySchema,
  inputSchema: z.record(z.string(), jsonSchema),
  outputSchema: z.record(z.string(), jsonSchema),
  timeoutMs: z.int().positive(),
  settleMs: z.int().nonnegative(),
  keyTtlMs: z.int().positive().optional(),
  verify: z.boolean(),
  spawns: z.boolean(),
  /** The tool that undoes what this one does: `name@version`. */
  compensate: z.string().optional(),
  /** What one call may use at most. */
  cost: amountsSchema.optional(),
  /** Its calls that a person must approve, in every run. */
  approvals: toolApprovalRulesSchema.optional(),
  /** Over everything above: the same version with another hash is refused. */
  hash: z.string(),
});
export type CatalogueEntry = z.infer<typeof catalogueToolSchema>;

/** Key of the record: `tool@version`. */
export const toolsKind = messageKind('a tool', { ToolOffered: catalogueToolSchema });
export type ToolOffered = MessageOf<typeof toolsKind.types>;

/** Key of the record: `lanes`. Fixed for the life of a namespace. */
export const clusterKind = messageKind('a cluster record', {
  LanesFixed: z.object({ lanes: z.int().positive(), namespace: z.string() }),
});
export type ClusterRecord = MessageOf<typeof clusterKind.types>;
