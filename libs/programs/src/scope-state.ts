import { isAgentUnderWay } from './agent/agent.state.js';
import { own } from './own.js';
import { isDone, type NodeProgress, type Progress } from './progress.js';
import type { OutlineNode, Scope } from './outline.js';

/** Whether everything a node depends on is done. */
export const mayStart = (progress: Progress, node: OutlineNode): boolean =>
  node.dependencies.every((id) => isDone(own(progress.nodes, id)));

/** Whether something a node depends on has failed, so that the node can never run. */
export const isCutOff = (progress: Progress, node: OutlineNode): boolean =>
  node.dependencies.some((id) => {
    const status = own(progress.nodes, id)?.status;
    return status === 'failed' || status === 'skipped';
  });

/** The step whose failure stops a scope; undefined while the scope goes on. A tolerated failure stops nothing. */
export const causeOfStop = (scope: Scope, progress: Progress, prefix: string): string | undefined => {
  for (const { id, plan } of scope.nodes) {
    if (plan.onFailure === 'continue') continue;
    const node = own(progress.nodes, id);
    if (node?.status === 'failed') return node.cause ?? `${prefix}${id}`;
    if (node?.status === 'agent' && node.phase.name === 'failing') return `${prefix}${id}`;
    if (node?.status === 'each' && node.cause !== undefined) return node.cause;
  }
  return undefined;
};

/** Whether all nodes of a scope are done. */
export const isComplete = (scope: Scope, progress: Progress): boolean =>
  scope.nodes.every(({ id }) => isDone(own(progress.nodes, id)));

/** Whether a step of a scope, or of the items in it, is open. A scope that is stopped ends when none is. */
export const isUnderWay = (progress: Progress): boolean =>
  Object.values(progress.nodes).some(
    (node) =>
      node.status === 'open' ||
      (node.status === 'agent' && isAgentUnderWay(node)) ||
      (node.status === 'each' && node.open.some(({ progress }) => isUnderWay(progress))),
  );

/** Whether a node of the scope has failed, tolerated or not. */
export const hasFailure = (scope: Scope, progress: Progress): boolean =>
  scope.nodes.some(({ id }) => own(progress.nodes, id)?.status === 'failed');

/** The scope with one node changed. Results that nobody will read any more are dropped. */
export const withNode = (scope: Scope, progress: Progress, node: OutlineNode, value: NodeProgress): Progress => {
  const nodes: Record<string, NodeProgress> = { ...progress.nodes, [node.id]: value };
  if (!isDone(value)) return { nodes };
  for (const id of [node.id, ...node.reads]) {
    const kept = own(nodes, id);
    const source = scope.byId.get(id);
    if (kept?.status === 'succeeded' && 'result' in kept && source !== undefined && !isRead(source, nodes)) {
      nodes[id] = { status: 'succeeded' };
    }
  }
  return { nodes };
};

const isRead = (node: OutlineNode, nodes: Progress['nodes']): boolean =>
  node.inOutput || node.readers.some((id) => !isDone(own(nodes, id)));
