import { usageSchema } from '@holdfast/events';
import { jsonSchema } from '@holdfast/programs';
import {
  checkSection,
  findSecret,
  InvalidTool,
  isByReference,
  isCalledCredential,
  type Tool,
  type ToolsFromSection,
} from '@holdfast/sdk';
import { z } from 'zod';
import { anthropicModel } from './anthropic/anthropic.js';
import type { Model } from './model.js';
import { openAiModel } from './openai/openai.js';
import { modelTool } from './tool/model-tool.js';
import { pricesSchema } from './tool/price.js';

const reference = z.strictObject({
  $env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable, such as OPENAI_API_KEY'),
});

const headers = z.record(z.string(), z.union([z.string(), reference])).superRefine((given, check) => {
  for (const [name, value] of Object.entries(given)) {
    if (!isCalledCredential(name) || isByReference(value)) continue;
    const message =
      'looks like a secret, and secrets do not stand in files: write { $env: NAME }, or ${env:NAME} in a text';
    check.addIssue({ code: 'custom', path: [name], message });
  }
});

const common = {
  name: z.string(),
  version: z.string(),
  description: z.string().optional(),
  /** Which model, as the endpoint names it. */
  model: z.string().min(1),
  url: z.string().optional(),
  key: z.union([reference, z.null()], {
    error: 'must be { $env: NAME } with the variable that holds the key, or null where the endpoint wants none',
  }),
  headers: headers.optional(),
  settings: z.record(z.string(), jsonSchema).optional(),
  stream: z.boolean().optional(),
  timeoutMs: z.int().positive(),
  queue: z.string().optional(),
  cost: usageSchema.optional(),
  prices: pricesSchema.optional(),
};

const modelSchema = z.discriminatedUnion(
  'endpoint',
  [
    z.strictObject({
      ...common,
      endpoint: z.literal('openai'),
      answerBy: z.enum(['response_format', 'instructions']).optional(),
      streamUsage: z.boolean().optional(),
      toolDescriptionMax: z.int().min(1).optional(),
    }),
    z.strictObject({
      ...common,
      endpoint: z.literal('anthropic'),
      answerBy: z.enum(['instructions', 'tool']).optional(),
      maxTokens: z.int().positive().optional(),
    }),
  ],
  { error: 'must be openai, for all that speak chat completions, or anthropic, for messages' },
);
type ModelEntry = z.infer<typeof modelSchema>;

export const modelsSchema = z.array(modelSchema).min(1);

/** The models of a tool file, each as a tool. */
export const toolsFromSection: ToolsFromSection = async (section, { file, logger }) => {
  const entries = checkSection('models', modelsSchema, section);
  const tools = entries.map((entry, at) => {
    const place = `models[${at}]`;
    warnOfMissingKey(entry, () => logger.warn({ file }, `${place}.key: ${missing(entry)}`));
    return toolAt(place, entry);
  });
  return { tools };
};

/** A reconciler and the command line load the same file, and ask no model: what is missing fails when it is needed. */
const warnOfMissingKey = ({ key }: ModelEntry, warn: () => void): void => {
  if (key !== null && findSecret(key.$env, process.env) === undefined) warn();
};

const missing = ({ key, name }: ModelEntry): string =>
  `there is no secret ${key?.$env ?? ''} here: where ${name} is called without it, the call fails`;

const toolAt = (place: string, entry: ModelEntry): Tool => {
  try {
    return modelTool({ ...entry, model: modelOf(entry) });
  } catch (error) {
    throw new InvalidTool(`${place}: ${(error as Error).message}`, { cause: error });
  }
};

const modelOf = (entry: ModelEntry): Model => {
  const given = defined(entry);
  return given.endpoint === 'openai' ? openAiModel(given) : anthropicModel(given);
};

/** Without the fields that nobody has given. */
type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };
const defined = <T extends object>(entry: T): Defined<T> =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as Defined<T>;
