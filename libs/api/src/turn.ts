import { jsonSchema } from '@holdfast/events';
import { z } from 'zod';
import { at, pageOf, pageQuerySchema, seq } from './common.js';

/** Characters of a text, or of a value as JSON, that a turn shows; events of the history have all of it. */
export const TURN_TEXT_MAX = 16_000;

const callSchema = z.object({
  name: z.string(),
  /** As the model wrote them. */
  arguments: z.string(),
  /** The step that was made of it; null where none was. */
  stepId: z.string().nullable(),
  became: z.enum(['refused', 'open', 'in_doubt', 'succeeded', 'failed']),
  /** The result, the failure, or why it was not made; null while nothing is known. */
  said: jsonSchema,
});

/** One turn of an agent: what its model said, what followed, and what became of the calls. */
export const turnSchema = z.object({
  /** The path of the agent. */
  agent: z.string(),
  /** From 0. */
  turn: z.int(),
  text: z.string(),
  calls: z.array(callSchema),
  did: z.enum(['called', 'answered', 'repaired', 'failed']),
  answer: jsonSchema,
  /** What the model is told about its answer, or why the agent has failed. */
  problem: z.string().nullable(),
  /** Turns that the model was shown, turns that were left out, and whether those are summed up. */
  context: z.object({ turns: z.int(), leftOut: z.int(), summed: z.boolean() }),
  usage: z.object({ tokensIn: z.int(), tokensOut: z.int() }),
  seq,
  at,
});
export type TurnView = z.infer<typeof turnSchema>;

export const turnsQuerySchema = pageQuerySchema.extend({ agent: z.string().max(4_000).optional() });
export const turnPageSchema = pageOf(turnSchema);
