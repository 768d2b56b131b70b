import {
  amountsSchema,
  childTotalsSchema,
  concurrencyKeySchema,
  conflictPolicies,
  jsonSchema,
  keyDenialSchema,
  LIMITS,
  runIdSchema,
  tenantSchema,
} from '@holdfast/events';
import { z } from 'zod';

const requestId = z.string().min(1).max(200);
const generation = z.int().nonnegative().optional();
/** A run and the key that it shares; `ticket` is its `runKey`. */
const ticket = z.string().max(200);
const claim = { requestId, runId: runIdSchema, ticket, key: concurrencyKeySchema };
/** More than any run has to say. */
const words = z.string().max(2 * LIMITS.evidenceBytes);

/**
 * What lanes ask each other. Each follows from an event and may come again, late, and in any order: it is known by the
 * state that it meets, not by its id, and gets no reply.
 */
export const laneRequestTypes = {
  /** To the lane of the key: a run wants it. */
  ClaimKey: z.object({ ...claim, policy: z.enum(conflictPolicies), generation }),
  /** To the lane of the key: the run is over. */
  ReleaseKey: z.object(claim),
  /** From the lane of the key to the run. */
  DecideKey: z.object({
    ...claim,
    verdict: z.enum(['granted', 'waiting', 'denied']),
    /** Who has the key, for `waiting` and `denied`. */
    holder: runIdSchema.nullable(),
    place: z.int().positive().optional(),
    code: keyDenialSchema.optional(),
    /** The one that has the key, and all that wait for it. */
    displaces: z.array(z.object({ runId: runIdSchema, ticket })).max(LIMITS.keyQueueMax + 1),
  }),
  /** From a run to one that it replaces. */
  SupersedeRun: z.object({ ...claim, by: runIdSchema }),
  /** From a child to the run that has begun it. */
  ReportChild: z.object({
    requestId,
    runId: runIdSchema,
    ticket,
    childRunId: runIdSchema,
    report: z.discriminatedUnion('status', [
      z.object({ status: z.literal('accepted') }),
      z.object({
        status: z.literal('ended'),
        reason: z.string().max(200),
        detail: words,
        output: jsonSchema.optional(),
        totals: childTotalsSchema.optional(),
        used: amountsSchema.optional(),
      }),
    ]),
  }),
  /** A run asks its tenant for more. Amounts are what it has had and what it wants, together. */
  AskGrant: z.object({
    requestId,
    runId: runIdSchema,
    tenant: tenantSchema,
    ask: z.int().positive(),
    need: amountsSchema,
    want: amountsSchema,
    /** The run that does not end before this one. */
    parent: runIdSchema.optional(),
  }),
  /** The tenant answers. */
  GiveGrant: z.object({
    requestId,
    runId: runIdSchema,
    tenant: tenantSchema,
    ask: z.int().positive(),
    total: amountsSchema,
    denied: words.nullable(),
  }),
  /** A run is over, or what was in doubt about it is settled: it has used so much. */
  ReturnGrant: z.object({
    requestId,
    runId: runIdSchema,
    tenant: tenantSchema,
    seq: z.int().nonnegative(),
    spent: amountsSchema,
    final: z.boolean(),
  }),
} as const;

/** Who asks in the name of a lane. */
export const lanePrincipal = (lane: number): string => `holdfast/lane-${lane}`;
export const isLane = (principal: string | null): boolean => /^holdfast\/lane-\d+$/.test(principal ?? '');

/** A request of this type is about the budget of a tenant. */
export const isAboutTenant = (type: string): boolean => type === 'AskGrant' || type === 'ReturnGrant';

/** A request of this type is about what its lane looks after, not about a run. */
export const isAboutKey = (type: string): boolean => type === 'ClaimKey' || type === 'ReleaseKey';

/** The name that the lane of a key follows from. No run id holds a `/`. */
export const homeOfKey = (key: string): string => `key/${key}`;
