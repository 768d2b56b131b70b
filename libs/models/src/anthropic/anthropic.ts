import { Anthropic } from '@anthropic-ai/sdk';
import type { ModelReply, ModelRequest } from '@holdfast/programs';
import { modelFailure } from '../failures.js';
import type { CompleteOptions, Model } from '../model.js';
import { filtered } from '../wire/assembled.js';
import { Endpoint, type EndpointOptions, type Sending } from '../wire/endpoint.js';
import { readEvents, readMessage } from './reply.js';
import { messagesRequest, type AnswerBy } from './request.js';

export type AnthropicOptions = EndpointOptions & {
  /** How long an answer may be, in tokens; the API wants to be told. Default 4096; `settings.max_tokens` says otherwise. */
  readonly maxTokens?: number;
  /**
   * How the schema of an answer is told. Default `instructions`, which every model takes. `tool`: the model has to answer
   * with a call, which is then JSON for sure; not together with a schema that is no object.
   */
  readonly answerBy?: AnswerBy;
};

const API = {
  url: 'https://api.anthropic.com',
  own: ['model', 'messages', 'system', 'tools', 'tool_choice', 'stream'],
};
const MAX_TOKENS = 4_096;

/** A model behind an endpoint that speaks the messages API, by the client of Anthropic without its retries. */
export const anthropicModel = (options: AnthropicOptions): Model => {
  const endpoint = new Endpoint(options, API);
  return {
    label: endpoint.label,
    complete: (request, calling) =>
      endpoint.call(calling, (sending) => {
        const settings = endpoint.settings(request.settings);
        if (settings['thinking'] !== undefined && request.tools.length > 0) throw noThinking(endpoint.label);
        return ask({ options, url: endpoint.url, settings }, request, { sending, calling });
      }),
  };
};

const noThinking = (label: string) =>
  modelFailure(
    'model_request_refused',
    `${label}: the setting thinking cannot go with tools, since a transcript does not hold thoughts and the API wants them back`,
  );

type Asked = { readonly options: AnthropicOptions; readonly url: string; readonly settings: Record<string, unknown> };
type Call = { readonly sending: Sending; readonly calling: CompleteOptions };

const ask = async (asked: Asked, request: ModelRequest, { sending, calling }: Call): Promise<ModelReply> => {
  const { options, settings } = asked;
  const { answerBy = 'instructions', stream = true, maxTokens = MAX_TOKENS } = options;
  const { body: transcript, answerTool } = messagesRequest(request, answerBy);
  const body = { max_tokens: maxTokens, ...settings, model: options.model, ...transcript };
  const { messages } = clientOf(asked, sending);
  const { signal } = sending;
  try {
    const reply = stream
      ? await readEvents(await messages.create({ ...body, stream }, { signal }), calling)
      : readMessage(await messages.create({ ...body, stream }, { signal }), calling);
    return answerTool === null ? reply : answeredWith(answerTool, reply);
  } catch (error) {
    if (isFiltered(error)) return filtered;
    throw error;
  }
};

/** A call of the tool that stands for the answer is the answer, unless there is other work to do first. */
const answeredWith = (answerTool: string, reply: ModelReply): ModelReply => {
  const answer = reply.calls.find(({ name }) => name === answerTool);
  if (answer === undefined) return reply;
  const calls = reply.calls.filter(({ name }) => name !== answerTool);
  return calls.length > 0 ? { ...reply, calls } : { ...reply, text: answer.arguments, calls, finish: 'answer' };
};

/** What the environment could say to the client is said here, but for headers that it names on purpose. */
const clientOf = ({ url }: Asked, { key, fetch, headers, ms }: Sending): Anthropic =>
  new Anthropic({
    baseURL: url,
    apiKey: key ?? 'none',
    maxRetries: 0,
    timeout: ms,
    logLevel: 'off',
    openTelemetry: false,
    fetch,
    defaultHeaders: { ...(key === null ? { authorization: null } : {}), ...headers },
  });

const isFiltered = (error: unknown): boolean =>
  error instanceof Anthropic.APIError && error.status === 400 && /content filtering policy/i.test(error.message);
