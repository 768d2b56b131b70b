import { z } from 'zod';
import { jsonSchema } from '../json.js';
import { fact } from './fact.js';

const at = z.int().nonnegative();
const ms = z.int().nonnegative();
const seq = z.int().nonnegative();
const step = { stepId: z.string().min(1), attempt: z.int().nonnegative() };

export const escalationKinds = [
  'doubt',
  'exhausted',
  'quarantine',
  'conflict',
  'question',
  'approval',
  'budget',
  'loop',
] as const;
/** What the runtime itself offers. A question of a plan offers its own, or `answer` for an answer in the asker's form. */
export const choices = [
  'applied',
  'absent',
  'retry',
  'fail',
  'acknowledge',
  'approve',
  'reject',
  'answer',
  'raise',
  'end',
  'continue',
] as const;
export type KnownChoice = (typeof choices)[number];
export const choiceSchema = z.string().min(1).max(100);
export type Choice = z.infer<typeof choiceSchema>;

/** The very call that a person approves: nothing else may be made with the approval. */
export const approvedCallSchema = z.object({ tool: z.string(), toolHash: z.string(), argsHash: z.string() });
export type ApprovedCall = z.infer<typeof approvedCallSchema>;

export const voidCauses = ['arguments_changed', 'tool_changed', 'not_used_in_time', 'may_have_acted'] as const;
const onSilenceSchema = z.union([z.enum(['end', 'fail']), z.object({ answer: jsonSchema })]);

/** Facts about what people are asked, and what they say. */
export const escalationEventSchemas = [
  fact('EscalationOpened', {
    ...step,
    kind: z.enum(escalationKinds),
    doubtSeq: seq.nullable(),
    question: z.string(),
    choices: z.array(choiceSchema).min(1),
    expiresAt: at,
    openedAt: at.optional(),
    context: jsonSchema.optional(),
    /** JSON Schema of the value that the choice `answer` brings. */
    schema: z.record(z.string(), jsonSchema).optional(),
    /** Who is asked, each from so long after the question on. */
    assignees: z.array(z.object({ to: z.string(), afterMs: ms })).optional(),
    remindEveryMs: ms.optional(),
    onSilence: onSilenceSchema.optional(),
    approves: approvedCallSchema.optional(),
    /** How long the approval may be used once it is given. */
    usableMs: ms.optional(),
  }),
  fact('EscalationReminded', { ...step, escalationSeq: seq, to: z.array(z.string()), nth: z.int().positive(), at }),
  fact('EscalationAnswered', {
    ...step,
    escalationSeq: seq,
    choice: choiceSchema,
    principal: z.string().nullable(),
    requestId: z.string(),
    note: z.string(),
    /** When it was given, by the broker's clock. */
    givenAt: at.optional(),
    value: jsonSchema.optional(),
    /** By what the person shows who they are and what they saw: their own words, kept as they are. */
    proof: jsonSchema.optional(),
  }),
  fact('EscalationExpired', { ...step, escalationSeq: seq }),
  fact('ApprovalVoided', { ...step, approvalSeq: seq, cause: z.enum(voidCauses) }),
] as const;
