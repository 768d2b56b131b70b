import type { Anthropic } from '@anthropic-ai/sdk';
import type { ModelMessage, ModelRequest, ModelTool } from '@holdfast/programs';
import { withAnswerWords } from '../wire/answer-words.js';
import { WireIds } from './wire-ids.js';

/** How the schema of an answer is told: in the instructions, or as a tool that the model has to answer with. */
export type AnswerBy = 'instructions' | 'tool';

export type MessagesRequest = Pick<Anthropic.MessageCreateParams, 'system' | 'messages' | 'tools' | 'tool_choice'>;
export type Asked = {
  readonly body: MessagesRequest;
  /** The tool whose call is the answer, if there is one. */
  readonly answerTool: string | null;
};

/** The transcript and what goes with it, as the messages API wants it. */
export const messagesRequest = (request: ModelRequest, answerBy: AnswerBy): Asked => {
  const { answer } = request;
  const answerTool = answerBy === 'tool' && answer?.['type'] === 'object' ? freeName(request.tools) : null;
  const system = answerTool === null ? withAnswerWords(request) : request.instructions;
  const tools = [
    ...request.tools.map(wireTool),
    ...(answerTool === null ? [] : [wireTool({ name: answerTool, description: ANSWERS, parameters: answer ?? {} })]),
  ];
  const body = {
    ...(system.trim() === '' ? {} : { system }),
    messages: wireMessages(request.messages),
    ...(tools.length === 0 ? {} : { tools }),
    ...(answerTool === null ? {} : { tool_choice: { type: 'any' as const } }),
  };
  return { body, answerTool };
};

const ANSWERS = 'Gives the final answer. Call it alone, when nothing else is left to be done.';

const freeName = (tools: readonly ModelTool[]): string => {
  let name = 'final_answer';
  while (tools.some((tool) => tool.name === name)) name += '_';
  return name;
};

const wireTool = ({ name, description, parameters }: ModelTool) => ({
  name,
  ...(description === undefined ? {} : { description }),
  input_schema: { ...parameters, type: 'object' as const },
});

/** Results of tools and the text that follows them are one message of the user, the results first. */
const wireMessages = (messages: readonly ModelMessage[]): Anthropic.MessageParam[] => {
  const wire: Anthropic.MessageParam[] = [];
  const ids = new WireIds();
  let results: Anthropic.ToolResultBlockParam[] = [];
  const flush = (): void => {
    if (results.length > 0) wire.push({ role: 'user', content: results });
    results = [];
  };
  for (const message of messages) {
    switch (message.role) {
      case 'tool':
        results.push(resultOf(message, ids));
        break;
      case 'user': {
        const text = said(message.text);
        wire.push({ role: 'user', content: results.length === 0 ? text : [...results, { type: 'text', text }] });
        results = [];
        break;
      }
      case 'assistant': {
        flush();
        const content = blocksOf(message, ids);
        // What says nothing at all is no message here; texts before and after it may follow each other.
        if (content.length > 0) wire.push({ role: 'assistant', content });
      }
    }
  }
  flush();
  return wire;
};

const resultOf = (
  { callId, text, failed }: Extract<ModelMessage, { role: 'tool' }>,
  ids: WireIds,
): Anthropic.ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: ids.ofResult(callId),
  ...(text === '' ? {} : { content: text }),
  ...(failed === true ? { is_error: true } : {}),
});

const blocksOf = (
  { text, calls }: Extract<ModelMessage, { role: 'assistant' }>,
  ids: WireIds,
): Anthropic.ContentBlockParam[] => {
  const wireIds = ids.ofCalls(calls);
  return [
    ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ name, arguments: written }, at) => ({
      type: 'tool_use' as const,
      id: wireIds[at] ?? '',
      name,
      input: inputOf(written),
    })),
  ];
};

// An empty text is refused.
const said = (text: string): string => (text.trim() === '' ? '(nothing)' : text);

/** Under this name the text of arguments that are no JSON object goes back to the model that wrote it. */
export const UNREADABLE = 'unreadable_arguments';

const inputOf = (written: string): object => {
  if (written.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(written);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  return { [UNREADABLE]: written };
};
