import { replayPolicies, usageSchema } from '@holdfast/events';
import { toolApprovalRulesSchema } from '@holdfast/programs';
import { z } from 'zod';
import { answerRuleSchema } from '../answer/answers.js';
import { conditionSchema } from '../answer/conditions.js';
import { egressSchema } from '../egress/egress.js';
import { methods, requestFields } from '../request/definition.js';

const jsonSchema = z.record(z.string(), z.json());
const pointer = z.string();

/** How an answer of a lookup is read: the first rule that fits says the verdict; if none does, it is unknown. */
const verdictRuleSchema = z.strictObject({
  when: conditionSchema,
  verdict: z.enum(['applied', 'absent', 'unknown']),
  /** Where in the answer the record stands, in the form in which the call would have answered. */
  record: pointer.optional(),
  /** What the call would have returned, where `result` of the tool cannot be made of the record. */
  result: z.json().optional(),
});

export const lookupSchema = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST']).default('GET'),
  ...requestFields,
  rules: z.array(verdictRuleSchema).min(1),
});

/** What says how a tool is called and what may be done about a call that may have acted: the same for all ways to make one. */
export const policyFields = {
  policy: z.enum(replayPolicies),
  settleMs: z.int().min(0).optional(),
  /** Only for `keyed`: how long the API surely drops repeats of a key. */
  keyTtlMs: z.int().min(1).optional(),
  /** Which header the key is sent in; default `Idempotency-Key` for `keyed`. `null`: it is sent where `{key}` stands. */
  keyHeader: z.string().nullable().optional(),
  /** Of which arguments the key is made; without it the key belongs to the step. */
  key: z.strictObject({ from: z.array(pointer).min(1) }).optional(),
  /** `pure` with a method that may change something. */
  force: z.boolean().optional(),
  lookup: lookupSchema.optional(),
  answers: z.array(answerRuleSchema).default([]),
  result: z.json().optional(),
};

export const commonFields = {
  version: z.string('must be a text: version: "1"'),
  queue: z.string().optional(),
  timeoutMs: z.int().min(1),
  egress: egressSchema.optional(),
  /** Bytes of a request body, and of an answer once it is unpacked. */
  limits: z.strictObject({ request: z.int().min(0).optional(), answer: z.int().min(1).optional() }).default({}),
  cost: usageSchema.optional(),
};

/** Calls that a person must approve, in every run. */
export const approvalFields = { approvals: toolApprovalRulesSchema.optional() };

export const toolSchema = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  ...commonFields,
  method: z.enum(methods),
  ...requestFields,
  input: jsonSchema.optional(),
  output: jsonSchema.optional(),
  ...approvalFields,
  ...policyFields,
});

export type ToolFields = z.infer<typeof toolSchema>;
export type LookupFields = z.infer<typeof lookupSchema>;
