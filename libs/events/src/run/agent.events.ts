import { callRefusals } from '@holdfast/programs';
import { z } from 'zod';
import { jsonSchema } from '../json.js';
import { fact } from './fact.js';

const problem = z.object({ code: z.string(), message: z.string() });

/** What was made of a call that a model asked for: a step, or a sentence that tells the model why not. */
const callSchema = z.union([
  z.object({ step: z.string() }),
  z.object({ refused: z.enum(callRefusals), message: z.string() }),
]);

export const agentEventSchemas = [
  fact('TurnTaken', {
    /** The path of the agent. */
    stepId: z.string().min(1),
    /** From 0. */
    turn: z.int().nonnegative(),
    did: z.enum(['called', 'answered', 'repaired', 'failed']),
    /** One for each call of the reply, in order. */
    calls: z.array(callSchema).optional(),
    /** Absent where calls are in doubt: then the model is told what was found, and asked again. */
    answer: jsonSchema.optional(),
    /** What the model is told about its answer, or why the agent has failed. */
    problem: problem.optional(),
    /** What the model was shown: turns before this one, turns left out or summed up, and whether they are summed up. */
    context: z.object({ turns: z.int(), leftOut: z.int(), summed: z.boolean() }),
    /** What the turn took, as the model reports it. */
    usage: z.object({ tokensIn: z.int(), tokensOut: z.int() }),
  }),
] as const;
