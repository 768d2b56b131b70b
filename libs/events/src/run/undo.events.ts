import { z } from 'zod';
import { runIdSchema } from '../ids.js';
import { fact } from './fact.js';

const at = z.int().nonnegative();

/** An effect that was applied and not undone. */
export const heldSchema = z.object({ stepId: z.string(), tool: z.string() });

/** Facts about the effects of a cancelled run being undone. */
export const undoEventSchemas = [
  fact('CompensationStarted', {
    undoRunId: runIdSchema,
    ticket: z.string(),
    effects: z.int().positive(),
    startedAt: at,
    /** By then the run that undoes them is over. */
    deadlineAt: at,
  }),
  fact('CompensationEnded', {
    /** How the run that undoes them has ended; `refused` or `blocked` where it never began, `lost` without a word. */
    outcome: z.string(),
    detail: z.string(),
    undone: z.int().nonnegative(),
    /** The first ones by name, all of them by number. */
    held: z.array(heldSchema),
    heldTotal: z.int().nonnegative(),
    endedAt: at,
    /** The key that the run has kept for that, and gives back. */
    returns: z.object({ key: z.string(), ticket: z.string() }).optional(),
  }),
] as const;
