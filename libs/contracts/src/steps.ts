import {
  amountsSchema,
  evidenceSchema,
  failureSchema,
  jsonSchema,
  omittedSchema,
  replayPolicySchema,
} from '@holdfast/events';
import { z } from 'zod';
import { messageKind, type MessageOf } from './codec/message.js';

const at = z.int().nonnegative();
const attempt = {
  attemptId: z.string().min(1),
  runId: z.string().min(1),
  stepId: z.string().min(1),
  attempt: z.int().nonnegative(),
};

/** One attempt to make. All of it is fixed when the step is scheduled; a later copy says the same. */
export const stepOrderSchema = z.object({
  ...attempt,
  tool: z.string(),
  toolHash: z.string(),
  policy: replayPolicySchema,
  args: jsonSchema,
  argsHash: z.string(),
  /** Idempotency key, the same for all attempts of the step. */
  key: z.string(),
  startBy: at,
  timeoutMs: z.int().positive(),
  claimsFrom: z.int().nonnegative(),
  settling: z.boolean(),
  /** Nothing else may be called beside it: one more death of its worker, and it is known whose fault that is. */
  alone: z.boolean().default(false),
  /** `keyed` only: the call's deadline must not be later, or the tool may have forgotten the key. */
  keyValidUntil: at.nullable(),
  /** What is left of the run's limits, this call reserved: for the tool to know, and for nothing else. */
  budget: amountsSchema.optional(),
  /** The place of the attempt in the trace of its run, as W3C Trace Context writes it. */
  traceparent: z.string().max(200).optional(),
});
export type StepOrder = z.infer<typeof stepOrderSchema>;

/** `steps` has room for a chain: consecutive steps that only feed each other. Today it holds one. */
export const commandKind = messageKind('a command', {
  ExecuteSteps: z.object({
    queue: z.string(),
    partition: z.int(),
    lane: z.int(),
    steps: z.array(stepOrderSchema).min(1),
  }),
});
export type Command = MessageOf<typeof commandKind.types>;

/** First claim for an attempt in log order wins. */
export const claimKind = messageKind('a claim', {
  /** `deadline` is the same in every repeat of the claim and at most `startBy` + time-out. */
  AttemptClaimed: z.object({
    attemptId: z.string(),
    session: z.string(),
    deadline: at,
    startBy: at,
    argsHash: z.string(),
  }),
  /** First for its attempt: nobody can ever act for it. */
  AttemptClosed: z.object({ attemptId: z.string(), closedBy: z.string(), startBy: at }),
  /** Changes nothing; reading it proves that everything before it was read. */
  PartitionLooked: z.object({ lookedBy: z.string() }),
});
export type Claim = MessageOf<typeof claimKind.types>;

/** What the call says to have used: tokens and money. Absent where it says nothing. */
const used = amountsSchema.optional();
const reported = { ...attempt, session: z.string(), deadline: at.nullable() };

/** What executors say about attempts. Only the claim's holder may say more than `AttemptRefused`; for `pure` any session. */
export const journalKind = messageKind('a journal record', {
  AttemptStarted: z.object({ ...reported, startedAt: at }),
  AttemptProgressed: z.object({ ...reported, progress: jsonSchema }),
  /** Asks for the attempt to be closed; says nothing about who holds it. */
  AttemptRefused: z.object({ ...reported, reason: z.string() }),
  AttemptSkipped: z.object({ ...reported, reason: z.string() }),
  AttemptSucceeded: z.object({
    ...reported,
    result: jsonSchema.optional(),
    omitted: omittedSchema.optional(),
    startedAt: at,
    endedAt: at,
    used,
  }),
  AttemptFailed: z.object({
    ...reported,
    failure: failureSchema,
    retry: z.enum(['now', 'later', 'never']),
    /** Not to be called again earlier than so long after `endedAt`: whoever was asked has said so. */
    retryAfterMs: z.int().nonnegative().optional(),
    startedAt: at,
    endedAt: at,
    used,
  }),
  AttemptAborted: z.object({ ...reported, effect: z.enum(['none', 'unknown']), reason: z.string(), endedAt: at, used }),
  AttemptUnknown: z.object({ ...reported, failure: failureSchema, startedAt: at, endedAt: at, used }),
});
export type JournalRecord = MessageOf<typeof journalKind.types>;

/** What the reconciler found about a doubt. `askedAt` was taken before the question was sent. */
export const verdictKind = messageKind('a verdict', {
  EffectJudged: z.object({
    ...attempt,
    doubtSeq: z.int().nonnegative(),
    verdict: z.enum(['applied', 'absent', 'unknown']),
    result: jsonSchema.optional(),
    askedAt: at,
    probe: z.int().positive(),
    judgedBy: z.string(),
    evidence: evidenceSchema,
  }),
});
export type Verdict = MessageOf<typeof verdictKind.types>;

/** Stop working for a run. Final intents only. */
export const abortKind = messageKind('an abort', {
  AbortRun: z.object({
    runId: z.string(),
    reason: z.string(),
    mode: z.enum(['abort', 'drain']),
    lane: z.int(),
    seq: z.int(),
  }),
});
export type Abort = MessageOf<typeof abortKind.types>;
