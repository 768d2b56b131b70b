import { z } from 'zod';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * A JSON value in which an object `{ "$from": "steps.read.text" }` stands for a value known later, and
 * `{ "$text": "… {item.name}" }` for a text with such values in it. Roots: `input`, `item`, `index`, `steps`.
 */
export type Template = Json;

// The readonly type, so that a frozen plan is a plan.
const json: z.ZodType<Json> = z.json();

const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must start with a letter and hold at most 64 letters, digits, _ or -');
const toolRef = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,99}@[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/, 'must look like name@version');
const after = z.array(name).max(256).optional();

export const retrySchema = z.strictObject({
  /** Tries in all, the first one included. */
  triesMax: z.int().min(1).max(100).optional(),
  /** Pause before the second try; each further one is `factor` times longer, up to `backoffMaxMs`. */
  backoffMs: z.int().min(0).max(86_400_000).optional(),
  backoffMaxMs: z.int().min(0).max(86_400_000).optional(),
  factor: z.number().min(1).max(10).optional(),
});
export type Retry = z.infer<typeof retrySchema>;

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
export type PlanNode = PlanStep | PlanForEach;

const nodeSchema: z.ZodType<PlanNode> = z.lazy(() => z.union([stepSchema, forEachSchema]));
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
  kind: z.literal('plan'),
  name: z.string().max(200).optional(),
  steps: z.array(nodeSchema).min(1).max(256),
  output: json.optional(),
  /** What the run waits for when an effect of a lost session is in doubt, unless a step says otherwise. */
  hold: z.enum(['run', 'step']).optional(),
});
export type Plan = z.infer<typeof planSchema>;

export const DEFAULT_WINDOW = 32;
