import {
  LIMITS,
  choiceSchema,
  concurrencySchema,
  forkSchema,
  jsonSchema,
  laneName,
  laneOf,
  limitsSchema,
  parentSchema,
  runIdSchema,
  tenantHome,
  tenantSchema,
} from '@holdfast/events';
import { approvalRulesSchema, askingSchema } from '@holdfast/programs';
import { budgetSchema, loopsSchema } from '@holdfast/programs';
import { z } from 'zod';
import { messageKind, type MessageOf } from './codec/message.js';
import { homeOfKey, isAboutKey, isAboutTenant, laneRequestTypes } from './lane-requests.js';

const requestId = z.string().min(1).max(200);
const labels = z
  .record(z.string().min(1).max(100), z.string().max(500))
  .refine((all) => Object.keys(all).length <= LIMITS.labelsMax, `at most ${LIMITS.labelsMax} labels`);

const reason = z.string().max(2_000).optional();
const runMs = z.int().min(1).max(LIMITS.waitMs);
const howToCancel = {
  withinMs: z.int().min(0).max(86_400_000).optional(),
  mode: z.enum(['abort', 'drain']).optional(),
  /** Whether effects are undone afterwards; unless told, what was said when the run was submitted counts. */
  compensate: z.boolean().optional(),
};
/** What is asked of one run, and why. */
const ofRun = { requestId, runId: runIdSchema, reason };

/** What may be asked of a run. The public door: anyone may write here, so everything is checked. */
export const requestKind = messageKind('a request', {
  SubmitRun: z.object({
    requestId,
    runId: runIdSchema,
    program: z.unknown(),
    input: jsonSchema.optional(),
    labels: labels.optional(),
    /** How long the run may take in all. */
    deadlineMs: runMs.optional(),
    /** Runs of one key are at work one after the other, and the policy says what becomes of a newcomer. */
    concurrency: concurrencySchema.optional(),
    /** Of one key, what is lower than the highest one seen is obsolete. */
    generation: z.int().nonnegative().optional(),
    /** When the run becomes obsolete, epoch ms. */
    validUntil: z.int().nonnegative().optional(),
    /** The run that begins this one, as one of its steps. */
    parent: parentSchema.optional(),
    /** Its effects are undone when it is cancelled, as far as their tools say how. */
    compensate: z.enum(['on_cancel']).optional(),
    /** What its parent has reserved for it: counts in the place of any budget. */
    limits: limitsSchema.optional(),
    /** A submission that is read later is refused, epoch ms. */
    bornBy: z.int().nonnegative().optional(),
    /** When the run is over at the latest, epoch ms. */
    deadlineAt: z.int().nonnegative().optional(),
    /** Calls that a person must approve, besides those that the program says. */
    approvals: approvalRulesSchema.optional(),
    /** Whom to ask what no machine can decide, where the program does not say it for the question. */
    escalations: askingSchema.optional(),
    /** What the run may use; what is not said is taken from the program, and at last from the defaults. */
    budget: budgetSchema.nullable().optional(),
    loops: loopsSchema.nullable().optional(),
    /** Whose budget the run lives on besides its own. */
    tenant: tenantSchema.optional(),
    /** What it takes over from a run that is over. */
    fork: forkSchema.optional(),
  }),
  CancelRun: z.object({
    ...ofRun,
    ...howToCancel,
    /** When it is over at the latest, epoch ms: counts in the place of `withinMs`. */
    deadlineAt: z.int().nonnegative().optional(),
    /** Only the child with this ticket is meant, not another run of that id. */
    child: z.string().max(200).optional(),
  }),
  /** Cancels all runs of one lane that have all of these labels and were accepted before. */
  CancelRuns: z.object({
    requestId,
    lane: z.int().nonnegative(),
    labels: labels.refine((all) => Object.keys(all).length > 0, 'at least one label'),
    reason,
    ...howToCancel,
  }),
  /** Ends the run at once: nothing is waited for. */
  KillRun: z.object(ofRun),
  /** Nothing new starts until it is resumed. */
  PauseRun: z.object(ofRun),
  ResumeRun: z.object(ofRun),
  /** Other bounds for a run that is under way. */
  SteerRun: z
    .object({
      ...ofRun,
      /** How long the run may still take, from now on. */
      deadlineMs: runMs.optional(),
      /** Items under way at the same time, by the name of their `forEach`: `outer.inner`. */
      windows: z.record(z.string().min(1).max(500), z.int().min(1).max(1024)).optional(),
      /** What the run may use from now on; what is not said stays. */
      limits: budgetSchema.optional(),
    })
    .refine(
      ({ deadlineMs, windows, limits }) => deadlineMs !== undefined || windows !== undefined || limits !== undefined,
      'says nothing that is to be different',
    ),
  AnswerEscalation: z.object({
    requestId,
    runId: runIdSchema,
    /** Number of the `EscalationOpened` in its lane; a doubt may be named by its step instead. */
    escalation: z.int().nonnegative().optional(),
    stepId: z.string().max(500).optional(),
    choice: choiceSchema,
    note: z.string().max(2_000).optional(),
    /** What the step returned, where a person knows that it was applied. */
    result: jsonSchema.optional(),
    /** The answer itself, with the choice `answer`. */
    value: jsonSchema.optional(),
    /** By what the person shows who they are and what they saw; kept as it is. */
    proof: jsonSchema.optional(),
    /** What the run may use from now on, where it has used up what it had. */
    budget: budgetSchema.optional(),
    /** When the person looked, epoch ms: `absent` counts only if that was after the settle window. */
    lookedAt: z.int().nonnegative().optional(),
  }),
  ...laneRequestTypes,
  /** What a tenant may use, of all its runs together. */
  SetTenantBudget: z
    .object({
      requestId,
      /** The name of what is asked about: `tenant/<tenant>`. */
      runId: z.string(),
      tenant: tenantSchema,
      budget: budgetSchema.omit({ idleMs: true, depth: true, onExhausted: true }),
    })
    .refine(({ runId, tenant }) => runId === tenantHome(tenant), { path: ['runId'], error: 'must be tenant/<tenant>' }),
});
export type Request = MessageOf<typeof requestKind.types>;
export type RequestOf<T extends Request['type']> = Extract<Request, { type: T }>;

/** What a request is about. */
export const homeOf = ({ type, data }: Pick<Request, 'type' | 'data'>): string => {
  if ('lane' in data) return laneName(data.lane);
  if (isAboutKey(type) && 'key' in data) return homeOfKey(data.key);
  if (isAboutTenant(type) && 'tenant' in data && data.tenant !== undefined) return tenantHome(data.tenant);
  return data.runId;
};

/** The lane that a request belongs to: that of its home, or the one that it names. */
export const laneOfRequest = (request: Pick<Request, 'type' | 'data'>, lanes: number): number =>
  'lane' in request.data ? request.data.lane % lanes : laneOf(homeOf(request), lanes);

/** A request that one lane sends another one. */
export type LaneRequest = { [T in Request['type']]: Pick<RequestOf<T>, 'type' | 'data'> }[Request['type']];

/** Marks a request that came to the wrong lane and was passed on once. */
export const FORWARDED_HEADER = 'forwardedfrom';

export const refusalCodes = [
  'too_many_tenants',
  'invalid_request',
  'invalid_program',
  'too_large',
  'run_id_taken',
  'unknown_run',
  'too_many',
  'run_ended',
  'run_cancelling',
  'unknown_escalation',
  'choice_not_offered',
  'too_early',
  /** Somebody was first; the reply says who, and when. */
  'already_answered',
  /** It was given after its time. */
  'expired',
  /** What was asked was settled in another way. */
  'no_longer_asked',
  'answer_wrong',
  /** An approval is for the call as it was shown, or for none. */
  'edit_not_offered',
  'wrong_lane',
  'too_old',
  /** Its time of validity was over before it came. */
  'obsolete',
  /** A defect of the runtime: the request changed nothing. */
  'undecidable',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** The answer to a request, by request id, with the place in history that it rests on. */
export const replyKind = messageKind('a reply', {
  RequestAnswered: z.object({
    requestId: z.string(),
    runId: z.string(),
    outcome: z.enum(['accepted', 'refused', 'unchanged']),
    code: z.string().optional(),
    message: z.string().optional(),
    details: jsonSchema.optional(),
    lane: z.int(),
    seq: z.int(),
  }),
});
export type ReplyMessage = MessageOf<typeof replyKind.types>;
