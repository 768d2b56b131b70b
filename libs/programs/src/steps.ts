import type { AgentPlace } from './agent/agent.state.js';
import { agentLeaf } from './agent/leaf.js';
import type { Plan, PlanAgent, PlanAsk, PlanLeaf, PlanNode, PlanStep } from './plan.js';
import { isAgent, isAsk, isCall, isForEach, nodeIn, outlineOf, type OutlineNode, type Scope } from './outline.js';
import { ProgramError } from './program-error.js';
import { agentPlaceIn, parseStepPath, type PathSegment } from './step-path.js';

/** What is done at a path. Throws `ProgramError` for a path that the plan does not have. */
export const leafAt = (plan: Plan, stepId: string): PlanLeaf => {
  const node = nodeAt(plan, stepId);
  if (isForEach(node)) throw new ProgramError(`${stepId} is a forEach, not a step`);
  if (isAgent(node)) throw new ProgramError(`${stepId} is an agent, not a step`);
  return node;
};

/** The step at a path that calls a tool. Throws `ProgramError` where none does. */
export const stepAt = (plan: Plan, stepId: string): PlanStep => {
  const leaf = leafAt(plan, stepId);
  if (!isCall(leaf)) throw new ProgramError(`${stepId} calls no tool`);
  return leaf;
};

/** The step at a path, where it calls a tool. */
export const callAt = (plan: Plan, stepId: string): PlanStep | undefined => {
  const node = nodeAt(plan, stepId);
  return isCall(node) ? node : undefined;
};

/** The question at a path, where there is one. */
export const askAt = (plan: Plan, stepId: string): PlanAsk | undefined => {
  const node = nodeAt(plan, stepId);
  return isAsk(node) ? node : undefined;
};

/** What a plan says about a step or a `forEach`, with the plan's own word where the step has none. */
export type NodeSettings = {
  /** Absent when neither says: then it depends on what caused the doubt. */
  readonly hold?: 'run' | 'step';
  readonly onFailure: 'fail' | 'continue';
};

/** The settings of the node at a path. */
export const nodeSettings = (plan: Plan, stepId: string): NodeSettings => {
  const node = nodeAt(plan, stepId);
  const hold = (isCall(node) ? node.hold : undefined) ?? plan.hold;
  return { ...(hold === undefined ? {} : { hold }), onFailure: node.onFailure ?? 'fail' };
};

/**
 * Whether a step waits, directly or through others, for another one: in the same item, or from a scope around it, or
 * through a `forEach` that the other one is in. Two items of one `forEach` never wait for each other.
 */
export const isDependent = (plan: Plan, stepId: string, onStepId: string): boolean => {
  const later = parseStepPath(stepId);
  const earlier = parseStepPath(onStepId);
  let scope = outlineOf(plan);
  for (const [level, from] of later.entries()) {
    const on = earlier[level];
    if (on === undefined) return false;
    if (from.id !== on.id) return reaches(scope, nodeIn(scope, from.id, stepId), nodeIn(scope, on.id, onStepId).id);
    if (from.index === undefined) return on.index !== undefined;
    const node = nodeIn(scope, from.id, stepId);
    if (isAgent(node.plan)) return comesLater(from, later[level + 1], on, earlier[level + 1]);
    if (from.index !== on.index) return false;
    scope = innerOf(node, stepId);
  }
  return false;
};

/** Turns come one after the other; in a turn the calls come after the model. */
// oxlint-disable-next-line max-params -- two places of two levels each
const comesLater = (
  turn: PathSegment,
  step: PathSegment | undefined,
  onTurn: PathSegment,
  onStep: PathSegment | undefined,
): boolean => {
  const [later, earlier] = [turn.index ?? 0, onTurn.index ?? 0];
  if (later !== earlier) return later > earlier;
  return isModelStep(onStep?.id) && !isModelStep(step?.id);
};

const isModelStep = (name: string | undefined): boolean => name === 'model' || name === 'summary';

const reaches = (scope: Scope, from: OutlineNode, id: string): boolean => {
  const seen = new Set<string>();
  const waiting = [...from.dependencies];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === id) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    waiting.push(...(scope.byId.get(next)?.dependencies ?? []));
  }
  return false;
};

/** The node at a path; of a path that leads into an agent, the step there. */
const nodeAt = (plan: Plan, stepId: string): PlanNode => {
  const path = parseStepPath(stepId);
  let scope = outlineOf(plan);
  for (const { id, index } of path.slice(0, -1)) {
    const node = nodeIn(scope, id, stepId);
    if (isAgent(node.plan) && index !== undefined) return stepOf(node.plan, path, stepId);
    scope = innerOf(node, stepId);
  }
  return nodeIn(scope, lastId(path), stepId).plan;
};

const stepOf = (agent: PlanAgent, path: readonly PathSegment[], stepId: string): PlanLeaf => {
  const place = agentPlaceIn(path);
  const leaf = place && agentLeaf(agent, place.name);
  if (leaf === undefined) throw new ProgramError(`the agent ${agent.id} has no step ${stepId}`);
  return leaf;
};

/** Where a step stands in an agent: the path of the agent, the turn and the name. Undefined for any other step. */
export const agentStepAt = (plan: Plan, stepId: string): ({ readonly agent: string } & AgentPlace) | undefined => {
  const path = parseStepPath(stepId);
  const place = agentPlaceIn(path);
  if (place === undefined) return undefined;
  const agent = stepId.slice(0, stepId.length - `[${place.turn}].${place.name}`.length);
  return isAgent(nodeAt(plan, agent)) ? { agent, ...place } : undefined;
};

/** Whether the model of an agent is asked in a step. */
export const isThought = (plan: Plan, stepId: string): boolean => isModelStep(agentStepAt(plan, stepId)?.name);

const lastId = (path: readonly PathSegment[]): string => path.at(-1)?.id ?? '';

const innerOf = (node: OutlineNode, stepId: string): Scope => {
  if (node.inner === undefined) throw new ProgramError(`${node.id} in ${stepId} has no items`);
  return node.inner;
};
