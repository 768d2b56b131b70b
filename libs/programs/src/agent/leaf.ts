import type { PlanAgent, PlanLeaf } from '../plan.js';
import { isCalled, isDelegated, nameOf, type AgentTool } from './agent.js';

const CALL = /^(.+)-\d+$/;
const TEXT = { type: 'string', maxLength: 16_000 } as const;

/** What a step of an agent does, by its name in a turn: `model`, `summary`, or a tool and the place of the call. */
export const agentLeaf = (node: PlanAgent, name: string): PlanLeaf | undefined => {
  const { agent } = node;
  const { timeoutMs, retry } = agent;
  const times = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(retry === undefined ? {} : { retry }) };
  if (name === 'model') return { id: name, tool: agent.model, ...times };
  if (name === 'summary') return { id: name, tool: agent.context?.model ?? agent.model, ...times };
  const tool = toolOfStep(agent.tools, name);
  return tool === undefined ? undefined : leafOf(tool, name);
};

/** The tool that a step of an agent calls, by the name of the step. */
export const toolOfStep = (tools: readonly AgentTool[], name: string): AgentTool | undefined => {
  const called = CALL.exec(name)?.[1];
  return tools.find((tool) => nameOf(tool) === called);
};

/** A failure of it is told to the model and ends nothing. */
const leafOf = (tool: AgentTool, id: string): PlanLeaf => {
  if (isCalled(tool)) {
    const { tool: ref, timeoutMs, retry, deathsMax, hold } = tool;
    return {
      id,
      tool: ref,
      onFailure: 'continue',
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(retry === undefined ? {} : { retry }),
      ...(deathsMax === undefined ? {} : { deathsMax }),
      ...(hold === undefined ? {} : { hold }),
    };
  }
  if (isDelegated(tool)) return { id, run: tool.run, onFailure: 'continue' };
  const { choices, onSilence = 'fail', ...asking } = tool.ask;
  const answer = choices === undefined ? { schema: { ...TEXT } } : { choices };
  return { id, ask: { question: '', ...answer, ...asking, onSilence }, onFailure: 'continue' };
};

/** Every tool of the catalogue that an agent may call, its models included: `name@version`. */
export const toolsOfAgent = ({ agent }: PlanAgent): readonly string[] => {
  const called = agent.tools.flatMap((tool) => (isCalled(tool) ? [tool.tool] : []));
  return [agent.model, ...(agent.context?.model === undefined ? [] : [agent.context.model]), ...called];
};
