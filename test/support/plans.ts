import type { Json, Plan, PlanNode, PlanRun, PlanStep } from '@holdfast/programs';

/** A step that calls the tool of a policy. */
export const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  tool: tool.includes('@') ? tool : `${tool}@1`,
  ...more,
});

export const planOf = (...steps: readonly PlanNode[]): Plan => ({ kind: 'plan', steps: [...steps] });

/** The plan of one step, `a`, that calls the tool of a policy. */
export const one = (policy: string): Plan => planOf(step('a', policy));

export const forEach = (id: string, items: Json, ...steps: readonly PlanNode[]): PlanNode => ({
  id,
  forEach: items,
  steps,
});

/** A step that begins a run of its own. */
export const runOf = (id: string, program: Json | Plan, more: Partial<PlanRun['run']> = {}): PlanRun => ({
  id,
  run: { program: program as Json, ...more },
});
