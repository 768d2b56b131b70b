import { z } from 'zod';
import { jsonSchema } from '../json.js';
import { sharedEventSchemas } from '../shared/shared.events.js';

/** An answer that has no event of its own (refused, unchanged, repeated), kept so that none is lost. */
export const replySchema = z.object({
  requestId: z.string(),
  runId: z.string(),
  outcome: z.enum(['accepted', 'refused', 'unchanged']),
  code: z.string().optional(),
  message: z.string().optional(),
  details: jsonSchema.optional(),
});
export type Reply = z.infer<typeof replySchema>;

export const laneEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('LaneAcquired'), version: z.literal(1), data: z.object({ at: z.int() }) }),
  z.object({
    type: z.literal('LaneAdvanced'),
    version: z.literal(1),
    data: z.object({
      /** Next offsets to read, by topic; only those that moved. */
      positions: z.record(z.string(), z.int().nonnegative()),
      /** Up to where the reactions to events were acknowledged. */
      reactedSeq: z.int(),
      replies: z.array(replySchema),
      /** Lane time, epoch ms; never goes back. */
      at: z.int(),
      /** Running hash over all value bytes of the lane before this record. */
      chain: z.string(),
    }),
  }),
  z.object({
    type: z.literal('InputsLost'),
    version: z.literal(1),
    data: z.object({ topic: z.string(), from: z.int(), to: z.int(), acceptedBy: z.string() }),
  }),
  ...sharedEventSchemas,
]);
export type LaneEvent = z.infer<typeof laneEventSchema>;

export const laneEventTypes: ReadonlySet<string> = new Set(
  laneEventSchema.options.map((option) => option.shape.type.value),
);

/** Whether an event is about a lane and not about one of its runs. */
export const isLaneEvent = (event: { readonly type: string }): event is LaneEvent => laneEventTypes.has(event.type);
