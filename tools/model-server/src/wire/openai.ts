import type { Json, ModelMessage } from '@holdfast/programs';
import { z } from 'zod';
import { piecesOf, type Counted } from '../reply.js';
import { transcriptProblem } from '../transcript.js';
import { problemAt, type Read, type Refusal, type Wire } from './wire.js';

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const content = z.union([z.string(), z.array(textPart).min(1)]);
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -');
const callSchema = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name, arguments: z.string() }),
});
const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content }),
  z.strictObject({ role: z.literal('user'), content }),
  z.strictObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_calls: z.array(callSchema).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content }),
]);
const objectSchema = z.looseObject({ type: z.literal('object') });
const toolSchema = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name,
    description: z.string().max(1_024).optional(),
    parameters: objectSchema,
    strict: z.boolean().nullish(),
  }),
});
const formatSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({ name, schema: z.record(z.string(), z.unknown()), strict: z.boolean().nullish() }),
  }),
]);
const requestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).min(1).optional(),
  response_format: formatSchema.optional(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).nullish(),
});
type Request = z.infer<typeof requestSchema>;
type Message = Request['messages'][number];

const textOf = (given: z.infer<typeof content> | null | undefined): string =>
  typeof given === 'string' ? given : (given ?? []).map(({ text }) => text).join('');

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

const read = (body: unknown): Read => {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return { ok: false, problem: problemAt(parsed.error.issues) };
  const {
    model,
    messages,
    tools = [],
    response_format: format,
    stream,
    stream_options: options,
    ...settings
  } = parsed.data;
  const rest = messages.findIndex((message) => !isSystem(message));
  if (rest < 0 || messages.slice(rest).some(isSystem))
    return { ok: false, problem: 'system messages come first, and others follow' };
  if (options != null && stream !== true) return { ok: false, problem: 'stream_options: only with stream' };
  const transcript = named(messages.slice(rest));
  const problem = problemOf(transcript, messages.slice(rest));
  if (problem !== null) return { ok: false, problem };
  return {
    ok: true,
    asked: {
      endpoint: 'openai',
      model,
      stream: stream === true,
      instructions: messages
        .slice(0, rest)
        .map(({ content: text }) => textOf(text))
        .join('\n'),
      messages: transcript,
      tools: tools.map(({ function: { name, description, parameters } }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        parameters: parameters as Record<string, Json>,
      })),
      ...(format?.type === 'json_schema' ? { answer: format.json_schema.schema as Record<string, Json> } : {}),
      settings: settings as Record<string, Json>,
    },
  };
};

const problemOf = (transcript: readonly ModelMessage[], messages: readonly Message[]): string | null => {
  const empty = messages.findIndex(
    (one) => one.role === 'assistant' && one.content == null && one.tool_calls === undefined,
  );
  return empty < 0 ? transcriptProblem(transcript) : `messages[${empty}]: an assistant has content or tool_calls`;
};

/** The transcript; results of tools get the name of the tool from the call that they belong to. */
const named = (messages: readonly Message[]): ModelMessage[] => {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'tool') {
      const callId = message.tool_call_id;
      return { role: 'tool', callId, name: names.get(callId) ?? '', text: textOf(message.content) };
    }
    if (message.role !== 'assistant') return { role: 'user', text: textOf(message.content) };
    const calls = (message.tool_calls ?? []).map(({ id, function: asked }) => ({ id, ...asked }));
    for (const call of calls) names.set(call.id, call.name);
    return { role: 'assistant', text: textOf(message.content), calls };
  });
};

const FINISHES: ReadonlyMap<string, string> = new Map([
  ['answer', 'stop'],
  ['calls', 'tool_calls'],
  ['filtered', 'content_filter'],
  ['refusal', 'stop'],
]);
const finishOf = ({ finish }: Counted): string => FINISHES.get(finish) ?? finish;

const usageOf = ({ usage: { tokensIn, tokensOut } }: Counted) => ({
  prompt_tokens: tokensIn,
  completion_tokens: tokensOut,
  total_tokens: tokensIn + tokensOut,
});

const spoken = ({ text, finish }: Counted) =>
  finish === 'refusal' ? { content: null, refusal: text } : { content: text === '' ? null : text, refusal: null };

const reply = (counted: Counted): unknown => ({
  id: `chatcmpl-${counted.id}`,
  object: 'chat.completion',
  created: 0,
  model: counted.model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        ...spoken(counted),
        ...(counted.calls.length === 0 ? {} : { tool_calls: counted.calls.map(toolCall) }),
      },
      logprobs: null,
      finish_reason: finishOf(counted),
    },
  ],
  usage: usageOf(counted),
});

const toolCall = ({ id, name, arguments: written }: Counted['calls'][number]) => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});

const events = (counted: Counted, body: unknown): readonly string[] => {
  const options = (body as { stream_options?: { include_usage?: boolean } | null }).stream_options;
  const withUsage = options?.include_usage === true;
  const common = { id: `chatcmpl-${counted.id}`, object: 'chat.completion.chunk', created: 0, model: counted.model };
  const chunk = (delta: object, finish: string | null = null) =>
    event({ ...common, choices: [{ index: 0, delta, finish_reason: finish }], ...(withUsage ? { usage: null } : {}) });
  const word = counted.finish === 'refusal' ? 'refusal' : 'content';
  return [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(counted.text).map((piece) => chunk({ [word]: piece })),
    ...counted.calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...toolCall({ ...call, arguments: '' }) }] }),
      ...piecesOf(call.arguments).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finishOf(counted)),
    ...(withUsage ? [event({ ...common, choices: [], usage: usageOf(counted) })] : []),
    'data: [DONE]\n\n',
  ];
};

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

const refusal = ({ status, message, code }: Refusal): unknown => ({
  error: { message, type: status === 429 ? 'requests' : 'invalid_request_error', param: null, code: code ?? null },
});

/** `POST /v1/chat/completions`. */
export const openAiWire: Wire = {
  read,
  reply,
  events,
  refusal,
  errorEvent: (code) => event({ error: { message: `the script says ${code}`, type: code, param: null, code } }),
};
