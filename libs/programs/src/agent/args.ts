import type { Frame } from '../frame.js';
import { lookIn } from '../frame.js';
import type { Json, PlanAgent } from '../plan.js';
import type { NodeProgress } from '../progress.js';
import { holdsOmitted } from '../omitted.js';
import { resolve, type Look } from '../resolve.js';
import { newAgent, type AgentCall, type AgentPlace, type AgentProgress } from './agent.state.js';
import { toolOfStep } from './leaf.js';
import { leafArgs, modelRequest, summaryRequest, type AgentTask } from './request.js';
import { sameJson } from '../same-json.js';

type Resolved = { readonly args: Json } | { readonly problem: string };

/** The arguments of a step of an agent that is open or may be scheduled. */
// oxlint-disable-next-line max-params -- the agent and where it stands, and the place of the step
export const agentArgs = (
  frame: Frame,
  node: PlanAgent,
  before: NodeProgress | undefined,
  place: AgentPlace,
): Resolved => {
  const progress = before ?? newAgent;
  if (progress.status !== 'agent') return { problem: `the agent ${node.id} is done` };
  if (place.name !== 'model' && place.name !== 'summary') return callArgs(node, progress, place);
  const task = taskOf(frame, node);
  if ('problem' in task) return task;
  const request = place.name === 'model' ? modelRequest : summaryRequest;
  return { args: request(node.agent, progress, task) as unknown as Json };
};

const taskOf = (frame: Frame, { agent }: PlanAgent): AgentTask | { readonly problem: string } => {
  const look = kept(lookIn(frame));
  const instructions = resolve(agent.instructions, look);
  if ('problem' in instructions) return instructions;
  const task = resolve(agent.task, look);
  if ('problem' in task) return task;
  return { instructions: textOf(instructions.value), task: textOf(task.value) };
};

/** A model would take the place of a result for the result itself. */
const kept =
  (look: Look): Look =>
  (reference) => {
    const found = look(reference);
    if ('problem' in found || !holdsOmitted(found.value)) return found;
    return { problem: `${reference.text} is or holds a result that was too large to be kept` };
  };

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const callArgs = ({ agent }: PlanAgent, progress: AgentProgress, place: AgentPlace): Resolved => {
  const { phase, late, begun } = progress;
  const calls = [...(phase.name === 'calls' ? phase.calls : []), ...late];
  const call = calls.find(({ turn, step }) => turn === place.turn && step === place.name);
  const tool = toolOfStep(agent.tools, place.name);
  if (call === undefined || tool === undefined) return { problem: `${place.name} of turn ${place.turn} is not open` };
  const same = begun.find(({ name, args }) => name === call.name && sameJson(args, call.args));
  return { args: leafArgs(tool, call.args, same?.runId ?? null) };
};

/** The steps of an agent that may be scheduled now. */
export const readyPlaces = (before: AgentProgress | undefined): readonly AgentPlace[] => {
  const { phase, turn } = before ?? newAgent;
  if (phase.name === 'model' || phase.name === 'summary') return phase.open ? [] : [{ turn, name: phase.name }];
  if (phase.name !== 'calls') return [];
  return phase.calls.filter(isReady).map(({ step }) => ({ turn, name: step }));
};

const isReady = ({ status }: AgentCall): boolean => status === 'ready';
