import type { Plan, PlanNode } from '../plan.js';
import { isAgent, isForEach } from '../outline.js';
import type { Catalogue } from '../validation/catalogue.js';
import { isCalled, type AgentTool } from './agent.js';

/**
 * The plan with what its agents tell their models about the tools of the catalogue, so that every later request follows
 * from the plan alone. Parameters that a submitter gives such a tool are replaced: a call is checked by the tool's own.
 */
export const completed = (plan: Plan, catalogue: Catalogue): Plan => {
  const steps = plan.steps.map((node) => completedNode(node, catalogue));
  return steps.every((node, at) => node === plan.steps[at]) ? plan : { ...plan, steps };
};

const completedNode = (node: PlanNode, catalogue: Catalogue): PlanNode => {
  if (isAgent(node)) {
    const tools = node.agent.tools.map((tool) => (isCalled(tool) ? completedTool(tool, catalogue) : tool));
    return { ...node, agent: { ...node.agent, tools } };
  }
  if (!isForEach(node)) return node;
  const steps = node.steps.map((inner) => completedNode(inner, catalogue));
  return steps.every((inner, at) => inner === node.steps[at]) ? node : { ...node, steps };
};

const completedTool = (tool: Extract<AgentTool, { tool: string }>, catalogue: Catalogue): AgentTool => {
  const known = catalogue.get(tool.tool);
  if (known === undefined) return tool;
  const description = tool.description ?? known.description;
  // Which draft a schema is of helps nobody who reads it, and some endpoints refuse it.
  const { $schema: _, ...parameters } = known.inputSchema;
  return { ...tool, ...(description === undefined ? {} : { description }), parameters };
};
