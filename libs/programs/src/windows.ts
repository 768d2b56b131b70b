import { itemFrame, topFrame, type Frame } from './frame.js';
import { openItems } from './items.js';
import { isForEach, type OutlineNode } from './outline.js';
import { own } from './own.js';
import type { Json, Plan, PlanNode } from './plan.js';
import type { Progress } from './progress.js';
import { causeOfStop } from './scope-state.js';

/** The names of all `forEach` of a plan: their ids, after those of the ones around them: `outer.inner`. */
export const forEachNames = (plan: Plan): readonly string[] => namesIn(plan.steps, '');

const namesIn = (nodes: readonly PlanNode[], prefix: string): readonly string[] =>
  nodes.flatMap((node) => {
    if (!isForEach(node)) return [];
    const name = `${prefix}${node.id}`;
    return [name, ...namesIn(node.steps, `${name}.`)];
  });

/** How many items are under way at the same time, by the name of their `forEach`. */
export type Windows = Readonly<Record<string, number>>;

/** The plan with other windows. Names that it does not have change nothing. */
export const withWindows = (plan: Plan, windows: Windows): Plan => ({
  ...plan,
  steps: plan.steps.map((node) => withWindow(node, windows, '')),
});

const withWindow = (node: PlanNode, windows: Windows, prefix: string): PlanNode => {
  if (!isForEach(node)) return node;
  const name = `${prefix}${node.id}`;
  const window = own(windows, name) ?? node.window;
  const steps = node.steps.map((inner) => withWindow(inner, windows, `${name}.`));
  return { ...node, steps, ...(window === undefined ? {} : { window }) };
};

/** The progress once the windows of a plan are other ones: where there is room now, items are opened at once. */
export const widened = (plan: Plan, input: Json, progress: Progress): Progress =>
  widenedIn(topFrame(plan, input, progress));

const widenedIn = (frame: Frame): Progress => {
  if (causeOfStop(frame.scope, frame.progress, '') !== undefined) return frame.progress;
  return frame.scope.nodes.reduce((progress, node) => widenedNode({ ...frame, progress }, node), frame.progress);
};

const widenedNode = (frame: Frame, node: OutlineNode): Progress => {
  const { progress } = frame;
  const each = own(progress.nodes, node.id);
  if (each?.status !== 'each' || each.cause !== undefined) return progress;
  const open = each.open.map((item) => ({
    index: item.index,
    progress: widenedIn(itemFrame(frame, node, { ...item, items: each.items })),
  }));
  return { nodes: { ...progress.nodes, [node.id]: openItems(frame, node, { ...each, open }) } };
};
