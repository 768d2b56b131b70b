import { DEFAULT_WINDOW } from './plan.js';
import type { NodeProgress, Progress } from './progress.js';
import { isForEach, type OutlineNode } from './outline.js';
import { countItems, itemFrame, type Frame } from './frame.js';
import { causeOfStop, hasFailure, isComplete, isCutOff, isUnderWay, mayStart, withNode } from './scope-state.js';
import { own } from './own.js';

export type Each = Extract<NodeProgress, { status: 'each' }>;

/** What `begin`, `succeeded` and `failed` share: the nodes that can start without a step of their own do so at once. */
export const settle = (frame: Frame, candidates: readonly OutlineNode[]): Progress => {
  let progress = frame.progress;
  const waiting = [...candidates];
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    if (own(progress.nodes, node.id) !== undefined || !mayStart(progress, node)) continue;
    const value = startWithoutStep({ ...frame, progress }, node);
    if (value === undefined) continue;
    progress = withNode(frame.scope, progress, node, value);
    waiting.push(...dependantsOf(frame, node));
  }
  return progress;
};

/** The nodes of the same scope that wait for a node. */
export const dependantsOf = (frame: Frame, node: OutlineNode): readonly OutlineNode[] =>
  node.dependants.flatMap((id) => frame.scope.byId.get(id) ?? []);

// A forEach without a usable array stays absent: `ready` reports its problem, and the failure is an event like any other.
const startWithoutStep = (frame: Frame, node: OutlineNode): NodeProgress | undefined => {
  if (isCutOff(frame.progress, node)) return { status: 'skipped' };
  if (!isForEach(node.plan)) return undefined;
  const counted = countItems(frame, node);
  if ('problem' in counted) return undefined;
  return openItems(frame, node, {
    status: 'each',
    items: counted.items,
    next: 0,
    open: [],
    succeeded: 0,
    failed: 0,
  });
};

/** The `forEach` after one of its open items has changed: the item may be finished, and others take its place. */
export const withItem = (
  frame: Frame,
  forEach: OutlineNode,
  each: Each,
  item: { readonly index: number; readonly progress: Progress; readonly prefix: string },
): NodeProgress => {
  const scope = forEach.inner ?? frame.scope;
  const stop = causeOfStop(scope, item.progress, item.prefix);
  const cause = each.cause ?? (forEach.plan.onFailure === 'continue' ? undefined : stop);
  const open = each.open.map((known) =>
    known.index === item.index ? { index: item.index, progress: item.progress } : known,
  );
  if (cause !== undefined) {
    return open.some(({ progress }) => isUnderWay(progress)) ? { ...each, open, cause } : { status: 'failed', cause };
  }
  const goesOn = stop === undefined ? !isComplete(scope, item.progress) : isUnderWay(item.progress);
  if (goesOn) return { ...each, open };
  const failed = stop !== undefined || hasFailure(scope, item.progress);
  return openItems(frame, forEach, {
    ...each,
    open: open.filter(({ index }) => index !== item.index),
    ...counted(each, failed),
  });
};

const counted = (each: Each, failed: boolean): Pick<Each, 'succeeded' | 'failed'> => ({
  succeeded: each.succeeded + (failed ? 0 : 1),
  failed: each.failed + (failed ? 1 : 0),
});

/** The open item of an index. */
export const itemAt = ({ open }: Each, index: number): Progress | undefined =>
  open.find((item) => item.index === index)?.progress;

/** Opens items in order while the window has room, and ends the `forEach` when none is left. */
export const openItems = (frame: Frame, forEach: OutlineNode, each: Each): NodeProgress => {
  const open = [...each.open];
  const window = (isForEach(forEach.plan) ? forEach.plan.window : undefined) ?? DEFAULT_WINDOW;
  let { next, succeeded } = each;
  while (next < each.items && open.length < window) {
    const inner = itemFrame(frame, forEach, { index: next, items: each.items, progress: { nodes: {} } });
    const progress = settle(inner, inner.scope.nodes);
    // An item of nothing but empty arrays is over at once.
    if (isComplete(inner.scope, progress)) {
      succeeded += 1;
    } else {
      open.push({ index: next, progress });
    }
    next += 1;
  }
  if (open.length > 0) return { ...each, open, next, succeeded };
  return { status: 'each_done', items: each.items, succeeded, failed: each.failed };
};
