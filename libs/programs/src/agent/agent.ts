import { z } from 'zod';
import { assigneesSchema } from '../asking.js';
import { budgetSchema } from '../budget.js';
import { json } from '../json.js';
import { durationMs, retrySchema, toolRef } from '../parts.js';

/** What holds where an agent leaves something open. Counts; sizes in characters. */
export const AGENT = {
  turnsMax: 50,
  repairsMax: 3,
  callsMax: 16,
  context: { policy: 'window', charactersMax: 120_000, resultCharactersMax: 16_000, keepTurns: 2 },
  onDoubt: 'wait',
} as const;

const toolName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must start with a letter and hold at most 64 letters, digits, _ or -');
const description = z.string().max(4_096);
const jsonSchemaOf = z.record(z.string(), json);

const calledSchema = z.strictObject({
  tool: toolRef,
  /** As the model knows it; otherwise the tool's own name, with `_` for what such a name cannot hold. */
  name: toolName.optional(),
  /** Otherwise the tool's own one. */
  description: description.optional(),
  /** JSON Schema of the arguments; filled in from the catalogue when the run is accepted. */
  parameters: jsonSchemaOf.optional(),
  timeoutMs: z.int().min(1).optional(),
  retry: retrySchema.optional(),
  deathsMax: z.int().min(1).max(100).optional(),
  /** What waits while a call is in doubt: the whole run, or only the agent. */
  hold: z.enum(['run', 'step']).optional(),
});
/** A tool of the catalogue. */
export type CalledTool = z.infer<typeof calledSchema>;

const delegatedSchema = z.strictObject({
  name: toolName,
  description,
  /** JSON Schema of the input of the run, an object. */
  parameters: jsonSchemaOf,
  run: z.strictObject({
    program: json,
    deadlineMs: durationMs.optional(),
    budget: budgetSchema.optional(),
    /** How long the agent waits; after that it is told that the run goes on, and later how it has ended. */
    waitMs: durationMs.optional(),
    detached: z.boolean().optional(),
  }),
});
/** A run of its own, begun by the model. The same call again, while that run goes on, means that run. */
export type DelegatedTool = z.infer<typeof delegatedSchema>;

const asksSchema = z.strictObject({
  name: toolName,
  description: description.optional(),
  ask: z.strictObject({
    /** Without them the answer is a text. */
    choices: z.array(z.string().min(1).max(100)).min(1).max(32).optional(),
    assignees: assigneesSchema.optional(),
    remindEveryMs: z.int().min(1_000).optional(),
    withinMs: durationMs.optional(),
    /** `fail`: the model is told that nobody has answered. */
    onSilence: z.enum(['end', 'fail']).optional(),
  }),
});
/** A question of the model to a person. */
export type AskingTool = z.infer<typeof asksSchema>;

/** The kinds of tools by the field that only they have, in the order of the union. */
export const agentToolKinds = ['tool', 'run', 'ask'] as const;
export const agentToolSchema = z.union([calledSchema, delegatedSchema, asksSchema]);
export type AgentTool = z.infer<typeof agentToolSchema>;

export const contextSchema = z.strictObject({
  /** What becomes of the oldest turns when there is no room: they are left out, or a model sums them up. */
  policy: z.enum(['window', 'summarise']).optional(),
  /** Characters of all turns that a model is shown. */
  charactersMax: z.int().min(2_000).max(200_000).optional(),
  /** Tokens of one request and its reply, as the model counts them. */
  tokensMax: z.int().min(100).optional(),
  /** Characters of one result; of a longer one the model is shown the beginning. */
  resultCharactersMax: z.int().min(200).max(100_000).optional(),
  /** The latest turns, which are never summed up. */
  keepTurns: z.int().min(1).max(100).optional(),
  /** Who sums up, where it is not the agent's own model. */
  model: toolRef.optional(),
});

const settings = {
  /** A template of a text: who the agent is and how it works. */
  instructions: json,
  /** A template: what is to be done now. What is no text is shown as JSON. */
  task: json,
  /** The model: a tool that takes a `ModelRequest` and returns a `ModelReply`. */
  model: toolRef,
  /** Settings of the model's endpoint, as it names them. */
  settings: z.record(z.string(), json).optional(),
  /** How long one answer of the model may take, ms. */
  timeoutMs: z.int().min(1).optional(),
  /** Of the model's steps. */
  retry: retrySchema.optional(),
  tools: z.array(agentToolSchema).max(128).default([]),
  turnsMax: z.int().min(1).max(10_000).optional(),
  /** Mistakes in a row that the model is told about before the agent fails. */
  repairsMax: z.int().min(0).max(100).optional(),
  /** Calls in one turn. */
  callsMax: z.int().min(1).max(128).optional(),
  /** JSON Schema of the answer; without one the answer is a text. */
  answer: jsonSchemaOf.optional(),
  context: contextSchema.optional(),
  /** While a call is in doubt: wait until it is settled, or tell the model and go on. */
  onDoubt: z.enum(['wait', 'tell']).optional(),
};
export const agentSchema = z.strictObject(settings);
export type AgentSettings = z.infer<typeof agentSchema>;
export const agentSettings = settings;

export const isCalled = (tool: AgentTool): tool is CalledTool => 'tool' in tool;
export const isDelegated = (tool: AgentTool): tool is DelegatedTool => 'run' in tool;

/** The name under which a model knows a tool. */
export const nameOf = (tool: AgentTool): string => {
  if (!isCalled(tool)) return tool.name;
  if (tool.name !== undefined) return tool.name;
  const [own = ''] = tool.tool.split('@');
  return own.replaceAll('.', '_').slice(0, 64);
};
