import { z } from 'zod';
import { approvalRulesSchema } from '../approvals.js';
import { askingSchema } from '../asking.js';
import { budgetSchema, loopsSchema } from '../budget.js';
import type { Plan } from '../plan.js';
import { agentSettings } from './agent.js';

/** A program that is one agent: the answer of the agent is the output of the run. */
export const agentProgramSchema = z.strictObject({
  kind: z.literal('agent'),
  name: z.string().max(200).optional(),
  ...agentSettings,
  hold: z.enum(['run', 'step']).optional(),
  approvals: approvalRulesSchema.optional(),
  escalations: askingSchema.optional(),
  budget: budgetSchema.optional(),
  loops: loopsSchema.optional(),
});
export type AgentProgram = z.infer<typeof agentProgramSchema>;

const ID = 'agent';

/** The plan that an agent program stands for: one step, `agent`. */
export const planOfAgent = (program: AgentProgram): Plan => {
  const { kind: _, name, hold, approvals, escalations, budget, loops, ...agent } = program;
  const rest = { name, hold, approvals, escalations, budget, loops };
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return { kind: 'plan', ...given, steps: [{ id: ID, agent }], output: { $from: `steps.${ID}` } };
};

const PREFIX = `steps[0].agent.`;

/** Where in the program somebody has written what stands at a place of its plan. */
export const placeInProgram = (program: unknown, at: string): string => {
  const isAgent = typeof program === 'object' && program !== null && 'kind' in program && program.kind === 'agent';
  return isAgent && at.startsWith(PREFIX) ? at.slice(PREFIX.length) : at;
};
