import { itemFrame, topFrame, type Frame } from '../frame.js';
import { hasAgents, isAgent } from '../outline.js';
import { own } from '../own.js';
import type { Json, Plan } from '../plan.js';
import type { Progress } from '../progress.js';
import { causeOfStop } from '../scope-state.js';
import { itemPrefix } from '../step-path.js';
import type { AgentSettings } from './agent.js';
import type { AgentProgress } from './agent.state.js';
import type { ModelReply } from './model.js';

export type AgentAt = {
  /** `research`, `file[17].research` */
  readonly path: string;
  readonly agent: AgentSettings;
  readonly progress: AgentProgress;
  /** Its scope goes on: nothing around it has failed. */
  readonly goesOn: boolean;
};

/** The agents that are at work. Costs as much as is open, and nothing where a plan has none. */
export const agentsIn = (plan: Plan, input: Json, progress: Progress): readonly AgentAt[] => {
  const found: AgentAt[] = [];
  if (!hasAgents(plan)) return found;
  collect(topFrame(plan, input, progress), '', true, found);
  return found;
};

// oxlint-disable-next-line max-params -- a place, and the list that is made
const collect = (frame: Frame, prefix: string, around: boolean, into: AgentAt[]): void => {
  const goesOn = around && causeOfStop(frame.scope, frame.progress, prefix) === undefined;
  for (const node of frame.scope.nodes) {
    const now = own(frame.progress.nodes, node.id);
    if (now?.status === 'agent' && isAgent(node.plan)) {
      into.push({ path: `${prefix}${node.id}`, agent: node.plan.agent, progress: now, goesOn });
    }
    if (now?.status !== 'each') continue;
    for (const { index, progress } of now.open) {
      const inner = itemFrame(frame, node, { index, items: now.items, progress });
      collect(inner, itemPrefix(prefix, node.id, index), goesOn && now.cause === undefined, into);
    }
  }
};

/** Agents about whose reply nothing is decided yet. */
export const agentsReplied = (
  plan: Plan,
  input: Json,
  progress: Progress,
): readonly (AgentAt & { readonly reply: ModelReply })[] =>
  agentsIn(plan, input, progress).flatMap((at) =>
    at.goesOn && at.progress.phase.name === 'replied' ? [{ ...at, reply: at.progress.phase.reply }] : [],
  );
