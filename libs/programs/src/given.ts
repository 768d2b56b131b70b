import { z } from 'zod';
import { succeeded, opened } from './advance.js';
import { json, type Json } from './json.js';
import { DEFAULT_WINDOW, type Plan } from './plan.js';
import { countItems, itemFrame, topFrame, type Frame } from './frame.js';
import { itemAt } from './items.js';
import { isForEach, nodeIn, type OutlineNode } from './outline.js';
import { own } from './own.js';
import { isDone, type NodeProgress, type Progress } from './progress.js';
import { ProgramError } from './program-error.js';
import { isComplete, mayStart } from './scope-state.js';
import { parseStepPath } from './step-path.js';

const count = z.int().nonnegative();

/** Progress as somebody hands it in: nothing in it is open or has failed. */
export const givenProgressSchema: z.ZodType<Progress> = z.lazy(() =>
  z.strictObject({ nodes: z.record(z.string(), givenNodeSchema) }),
);
const givenNodeSchema: z.ZodType<NodeProgress> = z.lazy(() =>
  z.discriminatedUnion('status', [
    z.strictObject({ status: z.literal('succeeded'), result: json.optional() }),
    z.strictObject({
      status: z.literal('each'),
      items: count,
      next: count,
      open: z.array(z.strictObject({ index: count, progress: givenProgressSchema })),
      succeeded: count,
      failed: z.literal(0),
    }),
    z.strictObject({ status: z.literal('each_done'), items: count, succeeded: count, failed: z.literal(0) }),
  ]),
) as z.ZodType<NodeProgress>;

/** The progress with one more step done, or null where the plan cannot have come that far. */
export const given = (
  { plan, input }: { readonly plan: Plan; readonly input: Json },
  progress: Progress,
  stepId: string,
  result: Json,
): Progress | null => {
  try {
    if (!isFree(topFrame(plan, input, progress), stepId)) return null;
    return succeeded(plan, input, opened(plan, input, progress, stepId), stepId, result);
  } catch (error) {
    if (error instanceof ProgramError) return null;
    throw error;
  }
};

/** Whether the step is not done, and all that it waits for is. */
const isFree = (top: Frame, stepId: string): boolean => {
  let frame = top;
  for (const { id, index } of parseStepPath(stepId)) {
    const node = nodeIn(frame.scope, id, stepId);
    const now = own(frame.progress.nodes, id);
    if (index === undefined) return now === undefined && mayStart(frame.progress, node);
    const item = now?.status === 'each' ? itemAt(now, index) : undefined;
    if (now?.status !== 'each' || item === undefined) return false;
    frame = itemFrame(frame, node, { index, items: now.items, progress: item });
  }
  return false;
};

/** Why no run of the plan can stand so, by the place of what is wrong; null where one can. */
export const givenProblem = (plan: Plan, input: Json, progress: Progress): string | null =>
  problemIn(topFrame(plan, input, progress), '');

const problemIn = (frame: Frame, prefix: string): string | null => {
  for (const [id, now] of Object.entries(frame.progress.nodes)) {
    const node = frame.scope.byId.get(id);
    const at = `${prefix}${id}`;
    if (node === undefined) return `${at}: the plan has no such step`;
    const early = node.dependencies.find((other) => !isDone(own(frame.progress.nodes, other)));
    if (early !== undefined) return `${at}: comes after ${early}, which is not done`;
    const problem = isForEach(node.plan) ? eachProblem({ frame, node, at }, now) : leafProblem(at, now);
    if (problem !== null) return problem;
  }
  for (const node of frame.scope.nodes) {
    if (own(frame.progress.nodes, node.id) !== undefined || !isForEach(node.plan)) continue;
    const begins = mayStart(frame.progress, node) && !('problem' in countItems(frame, node));
    if (begins) return `${prefix}${node.id}: its items begin as soon as nothing is waited for`;
  }
  return null;
};

const leafProblem = (at: string, { status }: NodeProgress): string | null =>
  status === 'succeeded' ? null : `${at}: a step can only be taken over where it has succeeded`;

type EachPlace = { readonly frame: Frame; readonly node: OutlineNode; readonly at: string };

const eachProblem = ({ frame, node, at }: EachPlace, now: NodeProgress): string | null => {
  const counted = countItems(frame, node);
  if (now.status === 'each_done') {
    // What it had for items may be gone by then.
    const items = 'problem' in counted ? now.items : counted.items;
    return now.succeeded === now.items && items === now.items ? null : `${at}: not all of its items are done`;
  }
  if (now.status !== 'each') return `${at}: has items, and is not one step`;
  if ('problem' in counted) return `${at}: ${counted.problem}`;
  const { items, next, open } = now;
  const inOrder = open.every(({ index }, place) => index < next && index > (open[place - 1]?.index ?? -1));
  const adds = now.succeeded + now.failed + open.length === next;
  if (counted.items !== items || next > items || !inOrder || !adds) return `${at}: its items do not add up`;
  const window = (isForEach(node.plan) ? node.plan.window : undefined) ?? DEFAULT_WINDOW;
  const isFilled = open.length > 0 && open.length <= window && (next === items || open.length === window);
  if (!isFilled) return `${at}: other items are open than its window opens`;
  for (const { index, progress } of open) {
    if (node.inner !== undefined && isComplete(node.inner, progress)) return `${at}[${index}]: is done, and open`;
    const problem = problemIn(itemFrame(frame, node, { index, items, progress }), `${at}[${index}].`);
    if (problem !== null) return problem;
  }
  return null;
};
