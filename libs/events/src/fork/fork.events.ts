import { givenProgressSchema } from '@holdfast/programs';
import { z } from 'zod';
import { runIdSchema } from '../ids.js';
import { LIMITS } from '../limits.js';

/** A step, or with `[*]` in the place of an index that step of every item. */
const stepPattern = z.string().min(1).max(500);

/** What a run takes over from another one that is over. */
export const forkSchema = z.strictObject({
  runId: runIdSchema,
  /** Number of the last event of that run which was looked at. */
  seq: z.int().nonnegative(),
  /** The step from which on everything is done again; null for all that has not succeeded. */
  from: stepPattern.nullable(),
  /** Steps of which whoever asked said that their effects may be made again. */
  repeat: z.array(stepPattern).max(LIMITS.forkRepeatMax),
  /** How far the run has come when it begins. */
  progress: givenProgressSchema,
});
export type Fork = z.infer<typeof forkSchema>;
