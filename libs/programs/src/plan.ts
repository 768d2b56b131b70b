import { z } from 'zod';
import { approvalRulesSchema } from './approvals.js';
import { agentSchema, type AgentSettings } from './agent/agent.js';
import { asking, askingSchema } from './asking.js';
import { json, type Json } from './json.js';
import { budgetSchema, loopsSchema } from './budget.js';
import { after, durationMs, name, retrySchema, toolRef } from './parts.js';

export type { Json } from './json.js';
export { retrySchema, type Retry } from './parts.js';

/**
 * A JSON value in which an object `{ "$from": "steps.read.text" }` stands for a value known later, and
 * `{ "$text": "… {item.name}" }` for a text with such values in it. Roots: `input`, `item`, `index`, `steps`.
 */
export type Template = Json;

const stepSchema = z.strictObject({
  id: name,
  tool: toolRef,
  args: json.optional(),
  after,
  retry: retrySchema.optional(),
  deathsMax: z.int().min(1).max(100).optional(),
  timeoutMs: z.int().min(1).optional(),
  /** What waits while an attempt of this step is in doubt: the whole run, or only what depends on the step. */
  hold: z.enum(['run', 'step']).optional(),
  /** `fail` ends the run when the step has failed for good; `continue` lets what does not depend on it go on. */
  onFailure: z.enum(['fail', 'continue']).optional(),
});

export type PlanStep = z.infer<typeof stepSchema>;

/** A step that submits a run of its own and waits for it. Its result is the output of that run. */
const runSchema = z.strictObject({
  id: name,
  run: z.strictObject({
    /** A plan as it stands: its references are its own. `{ "$from": … }` alone stands for a plan that comes as a value. */
    program: json,
    /** The input of the run: a template. */
    input: json.optional(),
    /** The id of the run: a template. A step that names a run that an earlier step has begun waits for that one. */
    runId: json.optional(),
    deadlineMs: durationMs.optional(),
    /** What the run may use, out of what this one has left; what it does not say is a part of that. */
    budget: budgetSchema.optional(),
    /** How long to wait; after that the step succeeds with `{ runId, status: "running" }` and the run goes on. */
    waitMs: z
      .int()
      .min(0)
      .max(365 * 86_400_000)
      .optional(),
    /** It may outlive the run that begins it. */
    detached: z.boolean().optional(),
  }),
  after,
  onFailure: z.enum(['fail', 'continue']).optional(),
});
export type PlanRun = z.infer<typeof runSchema>;
export type PlanForEach = {
  readonly id: string;
  readonly forEach: Template;
  readonly steps: readonly PlanNode[];
  readonly after?: readonly string[] | undefined;
  /** Items under way at the same time. */
  readonly window?: number | undefined;
  /** `fail` ends the run when an item has failed; `continue` counts it and goes on. */
  readonly onFailure?: 'fail' | 'continue' | undefined;
};

const askSchema = z.strictObject({
  id: name,
  ask: z
    .strictObject({
      /** A template of a text. */
      question: json,
      /** A template of what is shown beside the question. */
      context: json.optional(),
      choices: z.array(z.string().min(1).max(100)).min(1).max(32).optional(),
      /** JSON Schema of the answer. */
      schema: z.record(z.string(), json).optional(),
      ...asking,
      onSilence: z.union([z.enum(['end', 'fail']), z.strictObject({ answer: json })]).optional(),
    })
    .refine(
      ({ choices, schema }) => (choices === undefined) !== (schema === undefined),
      'needs either choices or the schema of an answer',
    ),
  after,
  onFailure: z.enum(['fail', 'continue']).optional(),
});
/** A question to a person; the answer is the result. */
export type PlanAsk = z.infer<typeof askSchema>;
const agentNodeSchema = z.strictObject({
  id: name,
  agent: agentSchema,
  after,
  onFailure: z.enum(['fail', 'continue']).optional(),
});
/** A model that works on a task with tools until it answers; the answer is the result. */
export type PlanAgent = {
  readonly id: string;
  readonly agent: AgentSettings;
  readonly after?: readonly string[] | undefined;
  readonly onFailure?: 'fail' | 'continue' | undefined;
};
/** What is done as one: a call of a tool, a run, or a question. */
export type PlanLeaf = PlanStep | PlanRun | PlanAsk;
export type PlanNode = PlanLeaf | PlanForEach | PlanAgent;

/** The kinds of nodes by the field that only they have, in the order of the union. */
export const nodeKinds = ['tool', 'run', 'forEach', 'ask', 'agent'] as const;
const nodeSchema: z.ZodType<PlanNode> = z.lazy(() =>
  z.union([stepSchema, runSchema, forEachSchema, askSchema, agentNodeSchema]),
);
const forEachSchema = z.strictObject({
  id: name,
  forEach: json,
  steps: z.array(nodeSchema).min(1).max(256),
  after,
  window: z.int().min(1).max(1024).optional(),
  onFailure: z.enum(['fail', 'continue']).optional(),
});

/** Steps with dependencies. A step depends on what it names in `after` and on every step its templates refer to. */
export const planSchema = z.strictObject({
  kind: z.literal('plan', { error: 'must be plan or agent' }),
  name: z.string().max(200).optional(),
  steps: z.array(nodeSchema).min(1).max(256),
  output: json.optional(),
  /** What the run waits for when an effect of a lost session is in doubt, unless a step says otherwise. */
  hold: z.enum(['run', 'step']).optional(),
  /** Calls that a person must approve before they are made. */
  approvals: approvalRulesSchema.optional(),
  /** Whom to ask what no machine can decide, where nothing else says it. */
  escalations: askingSchema.optional(),
  /** What a run of it may use, where the submission does not say. */
  budget: budgetSchema.optional(),
  loops: loopsSchema.optional(),
});
export type Plan = z.infer<typeof planSchema>;

export const DEFAULT_WINDOW = 32;
