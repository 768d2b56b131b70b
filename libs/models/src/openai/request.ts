import { shorten } from '@holdfast/events';
import type { ModelMessage, ModelRequest, ModelTool } from '@holdfast/programs';
import type { OpenAI } from 'openai';
import { withAnswerWords } from '../wire/answer-words.js';

type Message = OpenAI.ChatCompletionMessageParam;
export type ChatRequest = Pick<OpenAI.ChatCompletionCreateParams, 'messages' | 'tools' | 'response_format'>;

/** How the schema of an answer is told: by `response_format`, or in the instructions. */
export type AnswerBy = 'response_format' | 'instructions';

type Form = { readonly answerBy: AnswerBy; readonly toolDescriptionMax: number };

/** The transcript and what goes with it, as chat completions want it. */
export const chatRequest = (request: ModelRequest, { answerBy, toolDescriptionMax }: Form): ChatRequest => {
  const byFormat = answerBy === 'response_format' && request.answer !== undefined;
  const instructions = byFormat ? request.instructions : withAnswerWords(request);
  return {
    messages: [
      ...(instructions === '' ? [] : [{ role: 'system' as const, content: instructions }]),
      ...request.messages.map(chatMessage),
    ],
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => chatTool(tool, toolDescriptionMax)) }),
    ...(byFormat ? { response_format: formatOf(request.answer) } : {}),
  };
};

const formatOf = (schema: ModelRequest['answer']) => ({
  type: 'json_schema' as const,
  json_schema: { name: 'answer', schema: { ...schema } },
});

const chatTool = ({ name, description, parameters }: ModelTool, descriptionMax: number) => ({
  type: 'function' as const,
  function: {
    name,
    ...(description === undefined ? {} : { description: shorten(description, descriptionMax - 1) }),
    parameters: { ...parameters },
  },
});

const chatMessage = (message: ModelMessage): Message => {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'assistant': {
      const { text, calls } = message;
      if (calls.length === 0) return { role: 'assistant', content: text };
      const asked = calls.map(({ id, name, arguments: written }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: written },
      }));
      return { role: 'assistant', content: text === '' ? null : text, tool_calls: asked };
    }
    case 'tool':
      // There is no place for `failed`: the text says it.
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
  }
};
