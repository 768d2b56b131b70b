import { routes } from '@holdfast/api';
import { z } from 'zod';
import { given } from './ask.js';
import { clip, partOf, partSchema } from './bounds.js';
import { cursor } from './runs.tools.js';
import { tool } from './tool.js';

const toolSchema = z.object({
  tool: z.string().describe('as a step of a plan names it'),
  description: z.string(),
  policy: z
    .string()
    .describe(
      'what is done where nobody knows whether a call has acted: pure and repeatable ones are called again, keyed ones ' +
        'with the same key, verifiable ones are asked, about unprotected ones a person is asked',
    ),
  timeoutMs: z.int(),
  served: z.boolean().describe('whether an executor that is alive serves it: a run waits for one otherwise'),
  inputSchema: partSchema.optional(),
  outputSchema: partSchema.optional(),
});

export const listTools = tool({
  name: 'list_tools',
  title: 'List the tools that plans may use',
  description:
    'Shows the tools that the steps of a plan may call. With `tool` one of them, with the JSON Schemas of its arguments ' +
    'and of its result: read them before you write a plan. Tools are called by steps of runs alone, never by you.',
  route: routes.listTools,
  input: z.strictObject({
    tool: z.string().max(300).optional().describe('only this one, with its schemas: `name@version`'),
    text: z.string().max(200).optional().describe('part of a name or a description'),
    limit: z.int().min(1).max(40).default(20),
    cursor,
  }),
  output: z.object({ tools: z.array(toolSchema), next: z.string().nullable() }),
  run: async (ask, asked) => {
    const { items, next } = await ask(routes.listTools, { query: given(asked) });
    const tools = items.map((entry) => {
      const { tool: ref, description = '', policy, timeoutMs, served } = entry;
      const schemas = asked.tool === undefined ? {} : schemasOf(ref, entry);
      return { tool: ref, description: clip(description, 400), policy, timeoutMs, served, ...schemas };
    });
    return { tools, next };
  },
});

const schemasOf = (ref: string, entry: { readonly inputSchema: object; readonly outputSchema: object }) => ({
  inputSchema: partOf(entry.inputSchema, 12_000, { part: 'inputSchema', tool: ref }),
  outputSchema: partOf(entry.outputSchema, 8_000, { part: 'outputSchema', tool: ref }),
});
