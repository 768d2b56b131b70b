import { z } from 'zod';
import { json } from '../json.js';

/** A tool as a model sees it. `parameters` is a JSON Schema of an object. */
export const modelToolSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/),
  description: z.string().optional(),
  parameters: z.record(z.string(), json),
});
export type ModelTool = z.infer<typeof modelToolSchema>;

/** A call that a model asks for. `arguments` is the text it wrote, which may be no JSON at all. */
export const modelCallSchema = z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() });
export type ModelCall = z.infer<typeof modelCallSchema>;

/** One message of a transcript. Each call of an `assistant` message is answered by one `tool` message with its id. */
export const modelMessageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), text: z.string() }),
  z.strictObject({ role: z.literal('assistant'), text: z.string(), calls: z.array(modelCallSchema) }),
  z.strictObject({
    role: z.literal('tool'),
    callId: z.string(),
    name: z.string(),
    text: z.string(),
    /** The call was not made, or has failed. */
    failed: z.boolean().optional(),
  }),
]);
export type ModelMessage = z.infer<typeof modelMessageSchema>;

/** The arguments of a model step: everything that a model is asked with. Nothing of it is kept by the model itself. */
export const modelRequestSchema = z.strictObject({
  instructions: z.string(),
  messages: z.array(modelMessageSchema).min(1),
  tools: z.array(modelToolSchema),
  /** JSON Schema of the answer, where it must be JSON. */
  answer: z.record(z.string(), json).optional(),
  /** Settings of the endpoint, such as `temperature`, as it names them. */
  settings: z.record(z.string(), json).optional(),
});
export type ModelRequest = z.infer<typeof modelRequestSchema>;

export const modelFinishes = ['answer', 'calls', 'length', 'refusal', 'filtered', 'other'] as const;

/** The result of a model step. `calls` is empty unless the model wants tools called. */
export const modelReplySchema = z.strictObject({
  text: z.string(),
  calls: z.array(modelCallSchema),
  /** Why the model stopped. `length`: it had no room to say more; `refusal`: it will not; `filtered`: it was cut off. */
  finish: z.enum(modelFinishes),
  usage: z.strictObject({ tokensIn: z.int().nonnegative(), tokensOut: z.int().nonnegative() }),
  /** The model that has answered, as the endpoint names it. */
  model: z.string().optional(),
});
export type ModelReply = z.infer<typeof modelReplySchema>;
