import { own } from './own.js';
import type { Json, Plan } from './plan.js';
import type { NodeProgress, Progress } from './progress.js';
import { isForEach, nodeIn, type OutlineNode } from './outline.js';
import { itemFrame, topFrame, type Frame } from './frame.js';
import { dependantsOf, itemAt, settle, withItem } from './items.js';
import { itemPrefix, parseStepPath, type PathSegment } from './step-path.js';
import { ProgramError } from './program-error.js';
import { causeOfStop, withNode } from './scope-state.js';

/** The progress of a run that has just been accepted. */
export const begin = (plan: Plan, input: Json): Progress => {
  const frame = topFrame(plan, input, { nodes: {} });
  return settle(frame, frame.scope.nodes);
};

/** The progress after the first attempt of a step was scheduled. A step that is open stays open. */
export const opened = (plan: Plan, input: Json, progress: Progress, stepId: string): Progress =>
  change(topFrame(plan, input, progress), stepId, (before) => {
    if (before !== undefined && before.status !== 'open') throw impossible(stepId, before, 'be opened');
    return { status: 'open' };
  });

/** The progress after an open step has succeeded: results nobody will read are dropped, what can end without a step ends. */
// oxlint-disable-next-line max-params -- the same four as its siblings, and what they do not have
export const succeeded = (plan: Plan, input: Json, progress: Progress, stepId: string, result: Json): Progress =>
  change(topFrame(plan, input, progress), stepId, (before, node) => {
    if (before?.status !== 'open' || isForEach(node.plan)) throw impossible(stepId, before, 'succeed');
    return { status: 'succeeded', result };
  });

/**
 * The progress after a step has failed for good, or a `forEach` that `ready` reported with a problem. Where `onFailure`
 * is `continue`, what depends on it is skipped; otherwise its scope is stopped, and the scopes around it as they say.
 */
export const failed = (plan: Plan, input: Json, progress: Progress, stepId: string): Progress =>
  change(topFrame(plan, input, progress), stepId, (before) => {
    if (before !== undefined && before.status !== 'open') throw impossible(stepId, before, 'fail');
    return { status: 'failed' };
  });

type Change = (before: NodeProgress | undefined, node: OutlineNode) => NodeProgress;

const change = (frame: Frame, stepId: string, how: Change): Progress =>
  changeAt(frame, { path: parseStepPath(stepId), prefix: '', stepId }, how);

type Place = { readonly path: readonly PathSegment[]; readonly prefix: string; readonly stepId: string };

const changeAt = (frame: Frame, place: Place, how: Change): Progress => {
  const [segment, ...path] = place.path;
  const node = nodeIn(frame.scope, segment?.id ?? '', place.stepId);
  const before = own(frame.progress.nodes, node.id);
  if (segment?.index === undefined) return withChange(frame, node, how(before, node));
  const { index } = segment;
  const item = before?.status === 'each' ? itemAt(before, index) : undefined;
  if (before?.status !== 'each' || item === undefined)
    throw new ProgramError(`the item of ${place.stepId} is not open`);
  const prefix = itemPrefix(place.prefix, node.id, index);
  const inner = itemFrame(frame, node, { index, items: before.items, progress: item });
  const progress = changeAt(inner, { ...place, path, prefix }, how);
  return withChange(frame, node, withItem(frame, node, before, { index, progress, prefix }));
};

const withChange = (frame: Frame, node: OutlineNode, value: NodeProgress): Progress => {
  const progress = withNode(frame.scope, frame.progress, node, value);
  if (value.status === 'open' || value.status === 'each') return progress;
  const stopped = causeOfStop(frame.scope, progress, '') !== undefined;
  return stopped ? progress : settle({ ...frame, progress }, dependantsOf(frame, node));
};

const impossible = (stepId: string, before: NodeProgress | undefined, what: string): ProgramError =>
  new ProgramError(`${stepId} is ${before?.status ?? 'not open'} and cannot ${what}`);
