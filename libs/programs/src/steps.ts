import type { Plan, PlanAsk, PlanLeaf, PlanStep } from './plan.js';
import { isAsk, isCall, isForEach, nodeIn, outlineOf, type OutlineNode, type Scope } from './outline.js';
import { ProgramError } from './program-error.js';
import { parseStepPath, type PathSegment } from './step-path.js';

/** What is done at a path. Throws `ProgramError` for a path that the plan does not have. */
export const leafAt = (plan: Plan, stepId: string): PlanLeaf => {
  const { plan: node } = nodeAt(plan, stepId);
  if (isForEach(node)) throw new ProgramError(`${stepId} is a forEach, not a step`);
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
  const { plan: node } = nodeAt(plan, stepId);
  return isCall(node) ? node : undefined;
};

/** The question at a path, where there is one. */
export const askAt = (plan: Plan, stepId: string): PlanAsk | undefined => {
  const { plan: node } = nodeAt(plan, stepId);
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
  const { plan: node } = nodeAt(plan, stepId);
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
    if (from.index !== on.index) return false;
    scope = innerOf(nodeIn(scope, from.id, stepId), stepId);
  }
  return false;
};

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

const nodeAt = (plan: Plan, stepId: string): OutlineNode => {
  const path = parseStepPath(stepId);
  const scopeOfNode = path
    .slice(0, -1)
    .reduce((scope, { id }) => innerOf(nodeIn(scope, id, stepId), stepId), outlineOf(plan));
  return nodeIn(scopeOfNode, lastId(path), stepId);
};

const lastId = (path: readonly PathSegment[]): string => path.at(-1)?.id ?? '';

const innerOf = (node: OutlineNode, stepId: string): Scope => {
  if (node.inner === undefined) throw new ProgramError(`${node.id} in ${stepId} has no items`);
  return node.inner;
};
