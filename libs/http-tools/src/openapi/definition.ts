import { z } from 'zod';
import { authSchema, text } from '../request/definition.js';
import { approvalFields, commonFields, policyFields } from '../tool/definition.js';

const { version: toolVersion, timeoutMs, ...rest } = commonFields;

/** What is said of one operation. What is not said follows from the document. */
export const operationSchema = z.strictObject({
  ...approvalFields,
  ...policyFields,
  policy: policyFields.policy.optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  output: z.record(z.string(), z.json()).optional(),
  timeoutMs: timeoutMs.optional(),
  ...rest,
  limits: rest.limits.optional(),
});

/** An OpenAPI document, and what its operations are as tools. */
export const openapiSchema = z.strictObject({
  /** Beside the tool file. */
  file: z.string(),
  /** Where the API is, instead of what the document says. */
  server: text.optional(),
  /** The version of all its tools. */
  version: toolVersion,
  /** What their names begin with. */
  prefix: z.string().default(''),
  timeoutMs,
  auth: authSchema.optional(),
  ...rest,
  /** By `operationId`, or `GET /orders/{id}`. */
  operations: z.record(z.string(), operationSchema).default({}),
  /** Whether operations that are not named above are tools too. */
  others: z.enum(['make', 'leave out']).default('make'),
});

export type OperationFields = z.infer<typeof operationSchema>;
export type OpenapiFields = z.infer<typeof openapiSchema>;
