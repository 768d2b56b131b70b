import type { ModelReply, ModelRequest } from '@holdfast/programs';
import { OpenAI } from 'openai';
import type { CompleteOptions, Model } from '../model.js';
import { filtered } from '../wire/assembled.js';
import { Endpoint, type EndpointOptions, type Sending } from '../wire/endpoint.js';
import { readChunks, readCompletion } from './reply.js';
import { chatRequest, type AnswerBy } from './request.js';

export type OpenAiOptions = EndpointOptions & {
  /**
   * How the schema of an answer is told. Default `response_format`; `instructions` for endpoints that do not know it.
   */
  readonly answerBy?: AnswerBy;
  /** Whether a stream is asked to say at its end what was used. Default true; some endpoints refuse to be asked. */
  readonly streamUsage?: boolean;
  /** Characters of the description of a tool that it takes, default 1024; of a longer one it gets the beginning. */
  readonly toolDescriptionMax?: number;
};

const API = {
  url: 'https://api.openai.com/v1',
  own: ['model', 'messages', 'tools', 'response_format', 'stream', 'stream_options', 'n', 'functions'],
};

/** A model behind an endpoint that speaks chat completions, by the client of OpenAI without its retries. */
export const openAiModel = (options: OpenAiOptions): Model => {
  const endpoint = new Endpoint(options, API);
  return {
    label: endpoint.label,
    complete: (request, calling) =>
      endpoint.call(calling, (sending) => {
        const settings = endpoint.settings(request.settings);
        return ask({ options, url: endpoint.url, settings }, request, { sending, calling });
      }),
  };
};

type Asked = { readonly options: OpenAiOptions; readonly url: string; readonly settings: Record<string, unknown> };
type Call = { readonly sending: Sending; readonly calling: CompleteOptions };

const ask = async (asked: Asked, request: ModelRequest, { sending, calling }: Call): Promise<ModelReply> => {
  const { options, settings } = asked;
  const { answerBy = 'response_format', stream = true, streamUsage = true, toolDescriptionMax = 1_024 } = options;
  const body = {
    ...withoutTools(request, settings),
    model: options.model,
    ...chatRequest(request, { answerBy, toolDescriptionMax }),
  };
  const { completions } = clientOf(asked, sending).chat;
  const { signal } = sending;
  try {
    if (!stream) return readCompletion(await completions.create({ ...body, stream }, { signal }), calling);
    const usage = streamUsage ? { stream_options: { include_usage: true } } : {};
    return await readChunks(await completions.create({ ...body, stream, ...usage }, { signal }), calling);
  } catch (error) {
    if (isFiltered(error)) return filtered;
    throw error;
  }
};

/** What the environment could say to the client is said here, but for headers that it names on purpose. */
const clientOf = ({ url }: Asked, { key, fetch, headers, ms }: Sending): OpenAI =>
  new OpenAI({
    baseURL: url,
    apiKey: key ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: ms,
    logLevel: 'off',
    fetch,
    defaultHeaders: { ...(key === null ? { authorization: null } : {}), ...headers },
  });

/** Settings about calls are refused where there are no tools, as when an agent has its own turns summed up. */
const withoutTools = ({ tools }: ModelRequest, settings: Record<string, unknown>): Record<string, unknown> => {
  if (tools.length > 0) return settings;
  const { tool_choice: _, parallel_tool_calls: __, ...rest } = settings;
  return rest;
};

const isFiltered = (error: unknown): boolean =>
  error instanceof OpenAI.APIError && error.status === 400 && error.code === 'content_filter';
