import { z } from 'zod';
import { amountsSchema } from '../budget/amounts.js';
import { limitsSchema } from '../budget/limits.js';
import { runIdSchema, tenantSchema } from '../ids.js';
import { jsonSchema } from '../json.js';
import { LIMITS } from '../limits.js';
import { fact } from './fact.js';

const at = z.int().nonnegative();
const stepId = z.string().min(1);

/** Of what run another one is a part. `ticket` follows from that run and its step: whoever names it means this child. */
export const parentSchema = z.strictObject({
  runId: runIdSchema,
  stepId: stepId.max(LIMITS.stepIdLength),
  ticket: z.string().min(1).max(200),
  /** From 1: the child of a run that nobody began is 1 deep. */
  depth: z.int().positive(),
  detached: z.boolean(),
  /** It undoes the effects of that run. */
  undo: z.boolean().optional(),
});
export type Parent = z.infer<typeof parentSchema>;

/** A child by its id, and by the ticket under which it was begun. */
export const childRefSchema = z.object({ runId: runIdSchema, ticket: z.string() });
export type ChildRef = z.infer<typeof childRefSchema>;

/** What a child has done, in its parent's history. */
export const childTotalsSchema = z.object({
  applied: z.int().nonnegative(),
  inDoubt: z.int().nonnegative(),
  running: z.int().nonnegative(),
  stepsSucceeded: z.int().nonnegative(),
  stepsFailed: z.int().nonnegative(),
});
export type ChildTotals = z.infer<typeof childTotalsSchema>;

/** Facts of a run about the runs that it has begun. */
export const childEventSchemas = [
  fact('ChildStarted', {
    stepId,
    childRunId: runIdSchema,
    ticket: z.string(),
    depth: z.int().positive(),
    detached: z.boolean(),
    startedAt: at,
    /** A child that its lane reads later than this is not born. */
    bornBy: at,
    /** The latest end of the child; null for one that may outlive its parent. */
    deadlineAt: at.nullable(),
    /** What the child may use, and what of it is reserved here until it has ended. */
    limits: limitsSchema.optional(),
    reserved: amountsSchema.optional(),
    /** Whose budget the child lives on besides. */
    tenant: tenantSchema.optional(),
    /** Until when the step waits. */
    waitUntil: at.optional(),
  }),
  /** Another step waits for a child that is under way. */
  fact('ChildAttached', { stepId, childRunId: runIdSchema, waitUntil: at.optional() }),
  fact('ChildAccepted', { childRunId: runIdSchema, acceptedAt: at }),
  /** The step has waited as long as it was to; the child goes on. */
  fact('ChildLeft', { stepId, childRunId: runIdSchema }),
  fact('ChildEnded', {
    childRunId: runIdSchema,
    /** The reason of its end, or `refused` where it never began. */
    reason: z.string(),
    detail: z.string(),
    output: jsonSchema.optional(),
    totals: childTotalsSchema.optional(),
    /** What it has used; all that was reserved for it counts where that is not known. */
    used: amountsSchema.optional(),
    endedAt: at,
  }),
  /** Children that do not outlive the run are to be over by then. */
  fact('ChildrenStopped', {
    reason: z.string(),
    deadlineAt: at,
    children: z.array(childRefSchema),
    /** Calls of theirs that have begun may go on till then; they are told to stop where this is not said. */
    mode: z.enum(['drain']).optional(),
    /** Whether their effects are undone afterwards, where the cancel says so. */
    compensate: z.boolean().optional(),
  }),
] as const;
