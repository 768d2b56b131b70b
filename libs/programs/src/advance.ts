import { own } from './own.js';
import type { Json, Plan } from './plan.js';
import { moveAgent, runEnded, takeTurn, type Move } from './agent/agent.evolve.js';
import { agentsIn } from './agent/agents.js';
import type { TurnDecision } from './agent/judge.js';
import { isDone, type NodeProgress, type Progress } from './progress.js';
import { isAgent, isForEach, nodeIn, type OutlineNode } from './outline.js';
import { itemFrame, topFrame, type Frame } from './frame.js';
import { dependantsOf, itemAt, settle, withItem } from './items.js';
import { agentPlaceIn, itemPrefix, parseStepPath, type PathSegment } from './step-path.js';
import { ProgramError } from './program-error.js';
import { causeOfStop, withNode } from './scope-state.js';

/** The progress of a run that has just been accepted. */
export const begin = (plan: Plan, input: Json): Progress => {
  const frame = topFrame(plan, input, { nodes: {} });
  return settle(frame, frame.scope.nodes);
};

/** The progress after the first attempt of a step was scheduled. A step that is open stays open. */
export const opened = (plan: Plan, input: Json, progress: Progress, stepId: string): Progress =>
  move(topFrame(plan, input, progress), stepId, { kind: 'opened' });

/** The progress after an open step has succeeded: results nobody will read are dropped, what can end without a step ends. */
// oxlint-disable-next-line max-params -- the same four as its siblings, and what they do not have
export const succeeded = (plan: Plan, input: Json, progress: Progress, stepId: string, result: Json): Progress =>
  move(topFrame(plan, input, progress), stepId, { kind: 'succeeded', result });

/** The progress once a step has waited long enough for the run that it has begun, which goes on. */
// oxlint-disable-next-line max-params -- the same four as its siblings, and what they do not have
export const left = (plan: Plan, input: Json, progress: Progress, stepId: string, runId: string): Progress =>
  move(topFrame(plan, input, progress), stepId, { kind: 'left', runId });

/**
 * The progress after a step has failed for good, or a `forEach` that `ready` reported with a problem. Where `onFailure`
 * is `continue`, what depends on it is skipped; otherwise its scope is stopped, and the scopes around it as they say.
 * `why` is what a model is told of a call.
 */
// oxlint-disable-next-line max-params -- the same four as its siblings, and what they do not have
export const failed = (plan: Plan, input: Json, progress: Progress, stepId: string, why = ''): Progress =>
  move(topFrame(plan, input, progress), stepId, { kind: 'failed', why });

/** The same where nobody will find out whether the step has acted: a model hears that, and never that it has failed. */
// oxlint-disable-next-line max-params -- the same four as its siblings, and what they do not have
export const givenUp = (plan: Plan, input: Json, progress: Progress, stepId: string, why: string): Progress =>
  move(topFrame(plan, input, progress), stepId, { kind: 'failed', why, mayHaveActed: true });

/** The progress once it is known that a step may have acted and nobody will say: only a model may be told that. */
export const doubted = (plan: Plan, input: Json, progress: Progress, stepId: string): Progress =>
  move(topFrame(plan, input, progress), stepId, { kind: 'doubted' });

/** The progress once it is decided what follows from the reply of an agent's model. */
// oxlint-disable-next-line max-params -- the same four as its siblings, and what they do not have
export const turned = (plan: Plan, input: Json, progress: Progress, agent: string, decision: TurnDecision): Progress =>
  change(topFrame(plan, input, progress), agent, (before, node) => {
    if (before?.status !== 'agent' || !isAgent(node.plan)) throw impossible(agent, before, 'take a turn');
    return takeTurn(node.plan.agent, before, decision);
  });

/** The progress once a run that an agent has begun, and that has gone on, is over. */
// oxlint-disable-next-line max-params -- the same three as its siblings, and what they do not have
export const runOver = (plan: Plan, input: Json, progress: Progress, runId: string, said: string): Progress =>
  agentsIn(plan, input, progress)
    .filter((agent) => agent.progress.begun.some((run) => run.runId === runId))
    .reduce(
      (next, { path }) =>
        change(topFrame(plan, input, next), path, (before) =>
          before?.status === 'agent' ? runEnded(before, runId, said) : impossibleNow(path, before),
        ),
      progress,
    );

const impossibleNow = (path: string, before: NodeProgress | undefined): never => {
  throw impossible(path, before, 'be told of a run');
};

const move = (frame: Frame, stepId: string, what: Move): Progress => {
  const moved: Change = (before, node) => leafAfter(before, node, stepId, what);
  return changeAt(frame, { path: parseStepPath(stepId), prefix: '', stepId, what }, moved);
};

// oxlint-disable-next-line max-params -- the step, where it stands, and what happens to it
const leafAfter = (before: NodeProgress | undefined, node: OutlineNode, stepId: string, what: Move): NodeProgress => {
  switch (what.kind) {
    case 'opened':
      if (before !== undefined && before.status !== 'open') throw impossible(stepId, before, 'be opened');
      return { status: 'open' };
    case 'succeeded':
      if (before?.status !== 'open' || isForEach(node.plan)) throw impossible(stepId, before, 'succeed');
      return { status: 'succeeded', result: what.result };
    case 'left':
      return leafAfter(before, node, stepId, {
        kind: 'succeeded',
        result: { runId: what.runId, status: 'running' },
      });
    case 'failed':
      if (before !== undefined && before.status !== 'open') throw impossible(stepId, before, 'fail');
      return { status: 'failed' };
    case 'doubted':
      return before ?? { status: 'open' };
  }
};

type Change = (before: NodeProgress | undefined, node: OutlineNode) => NodeProgress;

const change = (frame: Frame, stepId: string, how: Change): Progress =>
  changeAt(frame, { path: parseStepPath(stepId), prefix: '', stepId }, how);

type Place = {
  readonly path: readonly PathSegment[];
  readonly prefix: string;
  readonly stepId: string;
  /** What happens to the step, where it may be one of an agent. */
  readonly what?: Move;
};

const changeAt = (frame: Frame, place: Place, how: Change): Progress => {
  const [segment, ...path] = place.path;
  const node = nodeIn(frame.scope, segment?.id ?? '', place.stepId);
  const before = own(frame.progress.nodes, node.id);
  if (segment?.index === undefined) return withChange(frame, node, how(before, node));
  const { index } = segment;
  if (isAgent(node.plan)) {
    const step = agentPlaceIn([segment, ...path]);
    if (step === undefined || path.length !== 1 || place.what === undefined)
      throw impossible(place.stepId, before, 'be moved');
    return withChange(frame, node, moveAgent(node.plan.agent, before, step, place.what));
  }
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
  if (!isDone(value)) return progress;
  const stopped = causeOfStop(frame.scope, progress, '') !== undefined;
  return stopped ? progress : settle({ ...frame, progress }, dependantsOf(frame, node));
};

const impossible = (stepId: string, before: NodeProgress | undefined, what: string): ProgramError =>
  new ProgramError(`${stepId} is ${before?.status ?? 'not open'} and cannot ${what}`);
