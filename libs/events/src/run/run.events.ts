import { approvalRulesSchema, askingSchema, planSchema } from '@holdfast/programs';
import { z } from 'zod';
import { amountsSchema } from '../budget/amounts.js';
import { budgetEventSchemas } from '../budget/budget.events.js';
import { limitsSchema } from '../budget/limits.js';
import { runIdSchema } from '../ids.js';
import { jsonSchema } from '../json.js';
import { replayPolicySchema, toolPinSchema } from '../policy.js';
import { forkSchema } from '../fork/fork.events.js';
import { traceSchema } from '../trace.js';
import { agentEventSchemas } from './agent.events.js';
import { fact } from './fact.js';
import { escalationEventSchemas } from './escalation.events.js';
import { heldSchema, undoEventSchemas } from './undo.events.js';
import { steeringEventSchemas } from './steering.events.js';
import { childEventSchemas, parentSchema } from './child.events.js';
import { concurrencySchema, keyEventSchemas } from './key.events.js';

const at = z.int().nonnegative();
const ms = z.int().nonnegative();
const seq = z.int().nonnegative();
const stepId = z.string().min(1);
const step = { stepId, attempt: z.int().nonnegative() };

/** An open map from the first day: further kinds (tokens, money) are added without a new version. */
export const reservationSchema = amountsSchema;
export type Reservation = z.infer<typeof reservationSchema>;
/** What a call reports to have used: tokens and money. Absent where it reports nothing. */
const used = amountsSchema.optional();

export const failureSchema = z.object({ code: z.string(), message: z.string() });
export type Failure = z.infer<typeof failureSchema>;

/** What was found, by whom and how: short text for people and the tool's own words. */
export const evidenceSchema = z.object({ summary: z.string(), details: jsonSchema.optional() });
export type Evidence = z.infer<typeof evidenceSchema>;

/** A result too large to be kept: it was seen and hashed, never called for again. */
export const omittedSchema = z.object({ omitted: z.literal(true), bytes: z.int(), sha256: z.string() });
export type Omitted = z.infer<typeof omittedSchema>;

export const endReasons = [
  'succeeded',
  'failed',
  'cancelled',
  'superseded',
  'budget_exhausted',
  'deadline_exceeded',
  'looping',
  'escalation_expired',
] as const;
export const endReasonSchema = z.enum(endReasons);
export type EndReason = z.infer<typeof endReasonSchema>;

/** What led to an end: the plan itself, somebody's request, or time. */
export const endCauses = ['plan', 'step', 'cancel', 'kill', 'deadline', 'escalation', 'budget', 'loop', 'key'] as const;
export const endCauseSchema = z.object({
  kind: z.enum(endCauses),
  detail: z.string(),
  /** Who has asked for it, and under which id. */
  by: z.string().nullable().optional(),
  requestId: z.string().optional(),
  /** The step, and the number of the question, that it is about. */
  stepId: stepId.optional(),
  escalationSeq: seq.optional(),
});
export type EndCause = z.infer<typeof endCauseSchema>;

const effectEntry = z.object({ stepId, attempt: z.int().nonnegative(), tool: z.string(), note: z.string().optional() });

/** What a run did to the world. `applied` and `failed` are counts, the uncertain ones are named. */
export const effectsReportSchema = z.object({
  applied: z.int(),
  absent: z.array(effectEntry),
  inDoubt: z.array(effectEntry),
  running: z.array(effectEntry),
  conflicts: z.array(effectEntry),
  /** How many there are of each, where a list names only the first ones. */
  totals: z.object({ absent: z.int(), inDoubt: z.int(), running: z.int(), conflicts: z.int() }),
  stepsSucceeded: z.int(),
  stepsFailed: z.int(),
  /** What became of undoing them, once that is over. */
  compensation: z
    .object({ outcome: z.string(), undone: z.int(), held: z.array(heldSchema), heldTotal: z.int() })
    .optional(),
});
export type EffectsReport = z.infer<typeof effectsReportSchema>;

export const doubtCauses = [
  'session_ended',
  'session_expired',
  'outcome_unknown',
  'deadline_passed',
  'claims_unreadable',
] as const;
export const closeCauses = ['start_by', 'cancel', 'hold', 'refused', 'window_over', 'pause', 'budget'] as const;

const loopRuleSchema = z.object({
  repeatsMax: z.int().positive(),
  cycleMax: z.int().positive(),
  window: z.int().positive(),
  onLoop: z.enum(['warn', 'end', 'ask']),
});

export const runEventSchema = z.discriminatedUnion('type', [
  fact('RunAccepted', {
    runId: runIdSchema,
    requestId: z.string(),
    requestHash: z.string(),
    principal: z.string().nullable(),
    labels: z.record(z.string(), z.string()),
    runKey: z.string(),
    program: planSchema,
    input: jsonSchema,
    tools: z.record(z.string(), toolPinSchema),
    acceptedAt: at,
    deadlineAt: at,
    concurrency: concurrencySchema.optional(),
    /** Which state of the world the run is about, as a number that grows. */
    generation: z.int().nonnegative().optional(),
    /** From then on the run is obsolete, epoch ms. */
    validUntil: at.optional(),
    /** The run that has begun this one. */
    parent: parentSchema.optional(),
    /** What the submitter wants approved, besides what the program says. */
    approvals: approvalRulesSchema.optional(),
    escalations: askingSchema.optional(),
    /** Its effects are undone when it is cancelled. */
    compensate: z.enum(['on_cancel']).optional(),
    limits: limitsSchema.optional(),
    /** When calls are taken for a loop; absent where nobody asked for that. */
    loops: loopRuleSchema.optional(),
    /** Whose budget the run lives on besides its own. */
    tenant: z.string().optional(),
    /** What it takes over from a run that is over. */
    fork: forkSchema.optional(),
    /** Absent where nobody traces it. */
    trace: traceSchema.optional(),
  }),
  fact('StepScheduled', {
    ...step,
    tool: z.string(),
    policy: replayPolicySchema,
    queue: z.string(),
    partition: z.int().nonnegative(),
    scheduledAt: at,
    startBy: at,
    timeoutMs: ms,
    key: z.string(),
    argsHash: z.string(),
    claimsFrom: z.int().nonnegative(),
    settling: z.boolean(),
    reservation: reservationSchema,
    /** The approval under which the attempt is made; consumed by this event. */
    approvalSeq: seq.optional(),
  }),
  fact('AttemptHeld', { ...step, session: z.string(), deadline: at, claimOffset: z.int() }),
  fact('AttemptClosed', { ...step, claimOffset: z.int(), cause: z.enum(closeCauses) }),
  fact('AttemptSkipped', {
    ...step,
    session: z.string(),
    reason: z.string(),
    /** Where it was begun and stopped without effect. */
    used,
  }),
  fact('StepSucceeded', {
    ...step,
    by: z.enum(['outcome', 'verdict', 'person', 'silence']),
    session: z.string().nullable(),
    result: jsonSchema.optional(),
    omitted: omittedSchema.optional(),
    used,
    /** Of the result, where the run looks for loops. */
    resultHash: z.string().optional(),
  }),
  fact('StepFailed', {
    ...step,
    session: z.string().nullable(),
    failure: failureSchema,
    /** No further try follows: the step has failed for good. */
    final: z.boolean(),
    /** The attempt says that it did not act. */
    effect: z.enum(['none', 'unknown']),
    used,
    /** False where it was only told to come back later: no try was used. */
    counts: z.boolean().optional(),
  }),
  fact('BackoffStarted', { ...step, dueAt: at, cause: z.enum(['failed', 'refused', 'skipped']) }),
  fact('DoubtOpened', {
    ...step,
    cause: z.enum(doubtCauses),
    session: z.string().nullable(),
    deadline: at,
    settledAt: at,
    settleBy: at,
    holds: z.enum(['run', 'step', 'none']),
    /** The session died while the step was in its call. */
    death: z.boolean(),
    used,
  }),
  fact('ProbeRecorded', { ...step, doubtSeq: seq, probe: z.int().positive(), askedAt: at, evidence: evidenceSchema }),
  fact('DoubtSettled', {
    ...step,
    doubtSeq: seq,
    verdict: z.enum(['applied', 'absent', 'rerun']),
    by: z.enum(['reconciler', 'outcome', 'person', 'policy', 'log']),
    askedAt: at.nullable(),
    evidence: evidenceSchema,
  }),
  fact('ConflictFound', {
    ...step,
    session: z.string().nullable(),
    found: z.string(),
    actedOn: z.string(),
    evidence: evidenceSchema,
    /** What was used beside what is on the books. */
    used,
  }),
  ...escalationEventSchemas,
  fact('CancelRequested', {
    requestId: z.string(),
    principal: z.string().nullable(),
    reason: z.string(),
    deadlineAt: at,
    mode: z.enum(['abort', 'drain']),
    /** The request that cancelled many runs by their labels, where it was one. */
    bulk: z.string().optional(),
    /** Whether the effects of the run are undone afterwards, whatever was said when it was submitted. */
    compensate: z.boolean().optional(),
  }),
  fact('RunWaiting', { waitingFor: z.string(), since: at }),
  fact('RunEnded', {
    reason: endReasonSchema,
    detail: z.string(),
    output: jsonSchema.optional(),
    report: effectsReportSchema,
    endedAt: at,
    cause: endCauseSchema.optional(),
    /** The key that the run had or waited for, and gives back. */
    returns: z.object({ key: z.string(), ticket: z.string() }).optional(),
    /** The run that has begun this one, and is told. */
    parent: parentSchema.optional(),
    /** Runs that it has begun and that were not over. */
    children: z.array(z.object({ runId: runIdSchema, detached: z.boolean() })).optional(),
    /** All that the run has used, and what is still in doubt. */
    spent: amountsSchema.optional(),
  }),
  fact('ReportAmended', {
    ...step,
    change: z.string(),
    report: effectsReportSchema,
    spent: amountsSchema.optional(),
  }),
  ...agentEventSchemas,
  ...budgetEventSchemas,
  ...steeringEventSchemas,
  ...keyEventSchemas,
  ...childEventSchemas,
  ...undoEventSchemas,
]);

/** A fact of a run. Within a version only optional fields may be added; readers skip fields they do not know. */
export type RunEvent = z.infer<typeof runEventSchema>;
export type RunEventType = RunEvent['type'];
export type RunEventOf<T extends RunEventType> = Extract<RunEvent, { type: T }>;
export type RunEventData<T extends RunEventType> = RunEventOf<T>['data'];

/** Builds an event of version 1. */
export const runEvent = <T extends RunEventType>(type: T, data: RunEventData<T>): RunEventOf<T> =>
  ({ type, version: 1, data }) as unknown as RunEventOf<T>;
