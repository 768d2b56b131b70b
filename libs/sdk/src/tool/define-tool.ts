import type { CatalogueEntry } from '@holdfast/contracts';
import { canonicalJson, hasEffect, toolRef, usageAmounts, type Usage } from '@holdfast/events';
import type { Json, ToolApprovalRule } from '@holdfast/programs';
import { z } from 'zod';
import { sha256 } from '../digest.js';
import { knownSecrets } from '../secrets/secrets.js';
import { checkDefinition, refuse, type CheckedReplay, type LooseDefinition } from './check-definition.js';
import type { ToolDefinition } from './definition.js';
import { plainJson } from './plain-json.js';
import type { Checked, Tool, VerifyTool } from './tool.js';

// A module may bring its own copy of this library.
const BRAND = Symbol.for('holdfast.tool');

/** Whether a value was made by `defineTool`. */
export const isTool = (value: unknown): value is Tool =>
  typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;

/**
 * Makes a tool out of its definition. Throws `InvalidTool`, naming the tool and what to add, when the definition says
 * too little for the runtime to keep its promises.
 */
export const defineTool = <Input extends z.ZodType<object>, Output extends z.ZodType>(
  definition: ToolDefinition<Input, Output>,
): Tool<z.output<Input>, z.input<Output>> => {
  const replay = checkDefinition(definition);
  const { name, version, input, output, timeoutMs, queue = 'default', spawns = false } = definition;
  const compensate = compensationOf(definition, replay);
  const entry = describe(definition, replay, compensate);
  const tool: Tool<z.output<Input>, z.input<Output>> = {
    ref: toolRef({ name, version }),
    name,
    version,
    queue,
    timeoutMs,
    spawns,
    compensate,
    input,
    output,
    ...replay,
    checkArgs: (args) => fit(input, args) as Checked<z.output<Input>>,
    checkResult: (result) => plain(fit(output, result)),
    run: async (args, context) => definition.run(args, context),
    verify: asked(definition),
    catalogueEntry: () => entry,
  };
  return Object.freeze(Object.defineProperty(tool, BRAND, { value: true }));
};

const asked = <Input extends z.ZodType<object>, Output extends z.ZodType>(
  definition: ToolDefinition<Input, Output>,
): VerifyTool<z.output<Input>, z.input<Output>> | null => {
  const { verify } = definition;
  return verify === undefined ? null : async (args, question) => verify(args, question);
};

const fit = (schema: z.ZodType, value: unknown): Checked<unknown> => {
  const parsed = schema.safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, problem: z.prettifyError(parsed.error) };
};

const plain = (checked: Checked<unknown>): Checked<Json> => (checked.ok ? plainJson(checked.value) : checked);

/** The tool that undoes what a tool has done. What has no effect needs none, and what has none undoes nothing. */
const compensationOf = (definition: LooseDefinition, { policy }: CheckedReplay): string | null => {
  const { compensate } = definition;
  if (compensate === undefined) return null;
  if (!isTool(compensate)) return refuse(definition, 'compensate must be a tool, made with defineTool');
  if (!hasEffect(policy)) return refuse(definition, `is ${policy}: it has no effect that could be undone`);
  if (compensate.policy !== 'pure') return compensate.ref;
  return refuse(definition, `compensate: ${compensate.ref} is pure and undoes nothing`);
};

const describe = (definition: LooseDefinition, replay: CheckedReplay, compensate: string | null): CatalogueEntry => {
  const { name, version, description, queue = 'default', timeoutMs, spawns = false, verify, cost } = definition;
  const { approvals } = definition;
  const inputSchema = jsonSchema(definition, 'input');
  if (!isObjectSchema(inputSchema)) refuse(definition, 'input must be an object schema, such as z.object({ … })');
  const rest = {
    name: name as string,
    version: version as string,
    ...(description === undefined ? {} : { description: description as string }),
    queue: queue as string,
    policy: replay.policy,
    inputSchema,
    outputSchema: jsonSchema(definition, 'output'),
    timeoutMs: timeoutMs as number,
    settleMs: replay.settleMs,
    ...(replay.keyTtlMs === null ? {} : { keyTtlMs: replay.keyTtlMs }),
    verify: verify !== undefined,
    spawns: spawns as boolean,
    ...(compensate === null ? {} : { compensate }),
    ...(cost === undefined ? {} : { cost: usageAmounts(cost as Usage) }),
    ...(approvals === undefined ? {} : { approvals: [...(approvals as readonly ToolApprovalRule[])] }),
  };
  // Descriptions come from elsewhere too, such as from servers that say with what they were begun.
  const told = knownSecrets.maskJson(rest as Json) as typeof rest;
  return Object.freeze({ ...told, hash: sha256(canonicalJson(told as Json)) });
};

type JsonSchema = CatalogueEntry['inputSchema'];

const jsonSchema = (definition: LooseDefinition, io: 'input' | 'output'): JsonSchema => {
  try {
    return JSON.parse(JSON.stringify(z.toJSONSchema(definition[io] as z.ZodType, { io }))) as JsonSchema;
  } catch (error) {
    return refuse(definition, `${io} has no JSON Schema: ${(error as Error).message}; use types that JSON has`);
  }
};

const isObjectSchema = (schema: JsonSchema): boolean => {
  if (schema['type'] === 'object') return true;
  const choices = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(choices) && choices.every((choice) => isObjectSchema(choice as JsonSchema));
};
