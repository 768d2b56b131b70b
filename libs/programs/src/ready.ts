import { agentArgs, readyPlaces } from './agent/args.js';
import type { AgentProgress } from './agent/agent.state.js';
import { own } from './own.js';
import type { Json, Plan } from './plan.js';
import type { NodeProgress, Progress, ReadyStep } from './progress.js';
import { isAgent, isForEach, nodeIn, templateOf, type OutlineNode } from './outline.js';
import { countItems, itemFrame, lookIn, topFrame, type Frame } from './frame.js';
import { resolve } from './resolve.js';
import { causeOfStop, mayStart } from './scope-state.js';
import { itemAt } from './items.js';
import { agentPlaceIn, itemPrefix, parseStepPath, type PathSegment } from './step-path.js';

/**
 * The steps that may be scheduled now and are not yet in `nodes`, at most `limit`: nodes in plan order, the open items
 * of a `forEach` by index. A `forEach` that cannot start is reported with its problem. Costs as much as is open.
 */
export const ready = (plan: Plan, input: Json, progress: Progress, limit: number): readonly ReadyStep[] => {
  const found: ReadyStep[] = [];
  collect(topFrame(plan, input, progress), '', { found, limit });
  return found;
};

/** The arguments of a step that is open or may be scheduled, resolved from the state. */
export const argsOf = (
  plan: Plan,
  input: Json,
  progress: Progress,
  stepId: string,
): { readonly args: Json } | { readonly problem: string } => {
  let frame = topFrame(plan, input, progress);
  for (const { id, index } of parseStepPath(stepId)) {
    const node = nodeIn(frame.scope, id, stepId);
    if (index === undefined) return argsIn(frame, node);
    if (isAgent(node.plan)) return agentArgsAt(frame, node, parseStepPath(stepId));
    const each = own(frame.progress.nodes, id);
    const item = each?.status === 'each' ? itemAt(each, index) : undefined;
    if (each?.status !== 'each' || item === undefined) return { problem: `the item of ${stepId} is not open` };
    frame = itemFrame(frame, node, { index, items: each.items, progress: item });
  }
  return { problem: `${stepId} is not the path of a step` };
};

const agentArgsAt = (frame: Frame, node: OutlineNode, path: readonly PathSegment[]): ReturnType<typeof argsOf> => {
  const place = agentPlaceIn(path);
  if (!isAgent(node.plan) || place === undefined) return { problem: `${node.id} has no such step` };
  return agentArgs(frame, node.plan, own(frame.progress.nodes, node.id), place);
};

// The list is made here and handed on only when it is complete.
type Collected = { readonly found: ReadyStep[]; readonly limit: number };

const collect = (frame: Frame, prefix: string, into: Collected): void => {
  if (causeOfStop(frame.scope, frame.progress, prefix) !== undefined) return;
  for (const node of frame.scope.nodes) {
    if (into.found.length >= into.limit) return;
    const now = own(frame.progress.nodes, node.id);
    if (now?.status === 'each') {
      collectItems(frame, { node, each: now, prefix }, into);
    } else if (now?.status === 'agent' || (now === undefined && isAgent(node.plan) && mayStart(frame.progress, node))) {
      collectAgent(frame, { node, now, prefix }, into);
    } else if (now === undefined && mayStart(frame.progress, node)) {
      into.found.push(readyStep(frame, node, `${prefix}${node.id}`));
    }
  }
};

type AgentAt = { readonly node: OutlineNode; readonly now: AgentProgress | undefined; readonly prefix: string };

const collectAgent = (frame: Frame, { node, now, prefix }: AgentAt, into: Collected): void => {
  if (!isAgent(node.plan)) return;
  for (const place of readyPlaces(now)) {
    if (into.found.length >= into.limit) return;
    const stepId = `${itemPrefix(prefix, node.id, place.turn)}${place.name}`;
    const resolved = agentArgs(frame, node.plan, now, place);
    into.found.push(
      'problem' in resolved ? { stepId, args: null, problem: resolved.problem } : { stepId, ...resolved },
    );
  }
};

type EachPlace = {
  readonly node: OutlineNode;
  readonly each: Extract<NodeProgress, { status: 'each' }>;
  readonly prefix: string;
};

const collectItems = (frame: Frame, { node, each, prefix }: EachPlace, into: Collected): void => {
  for (const { index, progress } of each.open) {
    if (into.found.length >= into.limit) return;
    collect(itemFrame(frame, node, { index, items: each.items, progress }), itemPrefix(prefix, node.id, index), into);
  }
};

const readyStep = (frame: Frame, node: OutlineNode, stepId: string): ReadyStep => {
  const resolved = argsIn(frame, node);
  return 'problem' in resolved ? { stepId, args: null, problem: resolved.problem } : { stepId, args: resolved.args };
};

const argsIn = (frame: Frame, node: OutlineNode): { readonly args: Json } | { readonly problem: string } => {
  if (isForEach(node.plan)) {
    const items = countItems(frame, node);
    return { problem: 'problem' in items ? items.problem : `${node.id} is not a step` };
  }
  const resolved = resolve(templateOf(node.plan), lookIn(frame));
  return 'problem' in resolved ? resolved : { args: resolved.value };
};
