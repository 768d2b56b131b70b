import type { Json } from '../json.js';
import { isCalled, isDelegated, nameOf, type AgentSettings, type AgentTool } from './agent.js';
import type { AgentProgress } from './agent.state.js';
import { summedUp } from './context.js';
import type { ModelMessage, ModelRequest, ModelTool } from './model.js';

/** The texts of an agent once its templates are resolved. */
export type AgentTask = { readonly instructions: string; readonly task: string };

/** What a model is asked with in a turn: everything, since a model keeps nothing. Follows from history alone. */
export const modelRequest = (agent: AgentSettings, progress: AgentProgress, task: AgentTask): ModelRequest => ({
  instructions: task.instructions,
  messages: [{ role: 'user', text: firstText(task.task, progress) }, ...messagesOf(progress)],
  tools: agent.tools.map(offered),
  ...(agent.answer === undefined ? {} : { answer: agent.answer }),
  ...(agent.settings === undefined ? {} : { settings: agent.settings }),
});

const messagesOf = ({ turns }: AgentProgress): readonly ModelMessage[] => turns.flatMap(({ messages }) => messages);

const firstText = (task: string, { leftOut, summary }: AgentProgress): string => {
  if (summary !== null) return `${task}\n\n[What you have done so far, summed up:]\n${summary}`;
  return leftOut === 0 ? task : `${task}\n\n[${leftOut} earlier turns are left out here.]`;
};

const ASK_PARAMETERS = {
  type: 'object',
  properties: { question: { type: 'string', minLength: 1 }, context: { type: 'object' } },
  required: ['question'],
  additionalProperties: false,
} as const;
const ASK_DESCRIPTION = 'Asks a person and waits for the answer.';

/** A tool as the model sees it. */
export const offered = (tool: AgentTool): ModelTool => {
  const name = nameOf(tool);
  if (isCalled(tool)) {
    const { description, parameters = { type: 'object' } } = tool;
    return { name, ...(description === undefined ? {} : { description }), parameters };
  }
  if (isDelegated(tool)) return { name, description: tool.description, parameters: tool.parameters };
  const { choices } = tool.ask;
  const ends = choices === undefined ? '' : ` The person answers with one of: ${choices.join(', ')}.`;
  return { name, description: `${tool.description ?? ASK_DESCRIPTION}${ends}`, parameters: { ...ASK_PARAMETERS } };
};

const SUMMING_UP =
  'You sum up the work of an agent for the agent itself. Keep every fact, name, number, id, decision and open ' +
  'question that it needs to finish its task, and what was done so that nothing is done twice. No greeting, no comment.';

/** What a model is asked with to sum up the turns that have no room any more. */
export const summaryRequest = (agent: AgentSettings, progress: AgentProgress, task: AgentTask): ModelRequest => {
  const before = progress.summary === null ? '' : `[Summed up before:]\n${progress.summary}\n\n`;
  const turns = summedUp(agent, progress).flatMap(({ messages }) => messages.map(readable));
  const text = `[The task:]\n${task.task}\n\n${before}[What was done since:]\n${turns.join('\n')}`;
  return {
    instructions: SUMMING_UP,
    messages: [{ role: 'user', text }],
    tools: [],
    ...(agent.settings === undefined ? {} : { settings: agent.settings }),
  };
};

const readable = (message: ModelMessage): string => {
  if (message.role === 'user') return `told: ${message.text}`;
  if (message.role === 'tool')
    return `${message.name} ${message.failed === true ? 'failed' : 'returned'}: ${message.text}`;
  const calls = message.calls.map((call) => `called ${call.name} ${call.arguments}`);
  return [...(message.text === '' ? [] : [`said: ${message.text}`]), ...calls].join('\n');
};

/** The arguments of a step that begins a run or asks a person, or those of the tool as they are. */
export const leafArgs = (tool: AgentTool, args: Json, runId: string | null): Json => {
  if (isCalled(tool)) return args;
  if (isDelegated(tool)) return { program: tool.run.program, input: args, runId };
  return args;
};
