import { z } from 'zod';
import { limitsSchema } from '../budget/limits.js';
import { fact } from './fact.js';

const at = z.int().nonnegative();
/** Who has asked for it, under which id, and why. */
const asked = { requestId: z.string(), principal: z.string().nullable(), reason: z.string() };

/** Facts about what people do to a run that is under way. */
export const steeringEventSchemas = [
  fact('KillRequested', asked),
  fact('RunPaused', { ...asked, pausedAt: at }),
  fact('RunResumed', { ...asked, resumedAt: at }),
  fact('RunSteered', {
    ...asked,
    /** When the run must end from now on. */
    deadlineAt: at.optional(),
    /** Items under way at the same time, by the ids of the `forEach` and those around it: `outer.inner`. */
    windows: z.record(z.string(), z.int().positive()).optional(),
    /** All that the run may use from now on. */
    limits: limitsSchema.optional(),
    /** Questions about the budget that are not asked any more since the limits are others now. */
    withdraws: z.array(z.int().nonnegative()).optional(),
  }),
] as const;
