import { own } from './own.js';
import type { NodeProgress, Progress } from './progress.js';
import { isForEach, outlineOf, type OutlineNode, type Scope } from './outline.js';
import type { Json, Plan } from './plan.js';
import { unreachable } from './program-error.js';
import type { Reference } from './reference.js';
import { follow, resolve, type Look, type Resolved } from './resolve.js';
import { isJsonArray } from './template.js';

/** Where a node stands when its references are read: its scope's progress, and the scopes around it. */
export type Frame = {
  readonly scope: Scope;
  readonly progress: Progress;
  readonly input: Json;
  /** Present for the scope of an item; `nested` is how many such items there are, those around multiplied. */
  readonly item?: {
    readonly outer: Frame;
    readonly forEach: OutlineNode;
    readonly index: number;
    readonly nested: number;
  };
};

/** Most items of one `forEach`, and of nested ones multiplied: an empty inner array costs time but no step. */
export const ITEMS_MAX = 100_000;
export const ITEMS_NESTED_MAX = 1_000_000;

export const topFrame = (plan: Plan, input: Json, progress: Progress): Frame => ({
  scope: outlineOf(plan),
  progress,
  input,
});

/** One item of a `forEach` of so many `items`. */
export type ItemPlace = { readonly index: number; readonly items: number; readonly progress: Progress };

/** The frame of one item of a `forEach` that stands in `outer`. */
export const itemFrame = (outer: Frame, forEach: OutlineNode, { index, items, progress }: ItemPlace): Frame => ({
  scope: forEach.inner ?? outer.scope,
  progress,
  input: outer.input,
  item: { outer, forEach, index, nested: items * (outer.item?.nested ?? 1) },
});

/** Reads references as they stand in a frame. */
export const lookIn =
  (frame: Frame): Look =>
  (reference) => {
    switch (reference.root) {
      case 'input':
        return follow(frame.input, reference.path, reference.text);
      case 'steps':
        return resultOf(frame, reference);
      case 'item':
      case 'index':
      case 'items':
      case 'indexes':
        return itemPart(frame, reference);
      default:
        return unreachable(reference.root);
    }
  };

/** How many items a `forEach` that stands in `frame` has, or why it cannot start. */
export const countItems = (
  frame: Frame,
  forEach: OutlineNode,
): { readonly items: number } | { readonly problem: string } => {
  if (!isForEach(forEach.plan)) return { problem: `${forEach.id} is not a forEach` };
  const template = forEach.plan.forEach;
  // The elements of an array that stands in the plan are resolved one by one, when their item is opened.
  const resolved = isJsonArray(template) ? { value: template } : resolve(template, lookIn(frame));
  if ('problem' in resolved) return resolved;
  if (!isJsonArray(resolved.value)) return { problem: 'forEach needs an array' };
  const items = resolved.value.length;
  if (items > ITEMS_MAX) return { problem: `forEach over ${items} items; the limit is ${ITEMS_MAX}` };
  const nested = items * (frame.item?.nested ?? 1);
  if (nested > ITEMS_NESTED_MAX) return { problem: `${nested} nested items; the limit is ${ITEMS_NESTED_MAX}` };
  return { items };
};

const itemPart = (frame: Frame, reference: Reference): Resolved => {
  const named = reference.name === '' ? frame.item : enclosing(frame, reference.name);
  if (named === undefined) return { problem: `${reference.text} is not inside such a forEach` };
  if (reference.root === 'index' || reference.root === 'indexes') {
    return follow(named.index, reference.path, reference.text);
  }
  const value = itemValue(named.outer, named.forEach, named.index);
  return 'problem' in value ? value : follow(value.value, reference.path, reference.text);
};

const enclosing = (frame: Frame, forEachId: string): Frame['item'] => {
  if (frame.item === undefined || frame.item.forEach.id === forEachId) return frame.item;
  return enclosing(frame.item.outer, forEachId);
};

const itemValue = (outer: Frame, { plan }: OutlineNode, index: number): Resolved => {
  const template = isForEach(plan) ? plan.forEach : null;
  const look = lookIn(outer);
  if (isJsonArray(template)) return resolve(template[index] ?? null, look);
  const resolved = resolve(template, look);
  return 'problem' in resolved ? resolved : follow(resolved.value, [String(index)], `item ${index}`);
};

const resultOf = (frame: Frame, reference: Reference): Resolved => {
  const home = homeOf(frame, reference.name);
  if (home === undefined) return { problem: `${reference.text} refers to no step` };
  const result = resultIn(own(home.progress.nodes, reference.name));
  return result === undefined
    ? { problem: `${reference.text} refers to a step without a result` }
    : follow(result, reference.path, reference.text);
};

const homeOf = (frame: Frame, id: string): Frame | undefined => {
  if (frame.scope.byId.has(id)) return frame;
  return frame.item === undefined ? undefined : homeOf(frame.item.outer, id);
};

const resultIn = (node: NodeProgress | undefined): Json | undefined => {
  if (node?.status === 'succeeded') return node.result;
  if (node?.status !== 'each_done') return undefined;
  return { items: node.items, succeeded: node.succeeded, failed: node.failed };
};
