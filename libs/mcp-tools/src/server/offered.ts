import { canonicalJson } from '@holdfast/events';
import { sha256 } from '@holdfast/sdk';
import { jsonSchema as json, type Json, type JsonSchema } from '@holdfast/programs';
import { z } from 'zod';

const object = z.record(z.string(), json);

/** A tool as its server describes it; what else the description holds is left out. */
export const offeredSchema = z.object({
  name: z.string().min(1).max(200),
  description: z.string().optional().catch(undefined),
  inputSchema: object,
  outputSchema: object.optional(),
  annotations: z
    .object({
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
});
export type OfferedTool = z.infer<typeof offeredSchema>;

/** What must not change under a version: what a call is given and what it gives. */
export const shapeOf = ({ inputSchema, outputSchema }: OfferedTool): string =>
  sha256(canonicalJson({ inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) } as Json));

export const asJsonSchema = (schema: OfferedTool['inputSchema']): JsonSchema => schema;

/** A pinned description: the tools of a server as they were when somebody looked at them. */
export const pinSchema = z.object({
  server: z.object({ name: z.string(), version: z.string() }),
  tools: z.array(offeredSchema).max(1_000),
});
export type Pin = z.infer<typeof pinSchema>;
