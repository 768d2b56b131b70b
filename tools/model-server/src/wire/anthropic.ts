import type { Json, ModelCall, ModelMessage } from '@holdfast/programs';
import { z } from 'zod';
import { piecesOf, type Counted } from '../reply.js';
import { transcriptProblem } from '../transcript.js';
import { problemAt, type Read, type Refusal, type Wire } from './wire.js';

const text = z.string().regex(/\S/, 'text content blocks must contain non-whitespace text');
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/, 'must hold letters, digits, _ and - alone');
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -');
const textBlock = z.strictObject({ type: z.literal('text'), text });
const useBlock = z.strictObject({ type: z.literal('tool_use'), id, name, input: z.record(z.string(), z.unknown()) });
const resultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: id,
  content: z.union([z.string(), z.array(textBlock)]).optional(),
  is_error: z.boolean().optional(),
});
const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.union([text, z.array(z.discriminatedUnion('type', [textBlock, resultBlock])).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([text, z.array(z.discriminatedUnion('type', [textBlock, useBlock])).min(1)]),
  }),
]);
const requestSchema = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  system: z.union([text, z.array(textBlock).min(1)]).optional(),
  messages: z.array(messageSchema).min(1),
  tools: z
    .array(
      z.strictObject({
        name,
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
      }),
    )
    .optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  stream: z.boolean().optional(),
});
type Request = z.infer<typeof requestSchema>;
type Message = Request['messages'][number];

const textOf = (given: string | readonly { readonly text: string }[] | undefined): string =>
  typeof given === 'string' ? given : (given ?? []).map((block) => block.text).join('\n');

const read = (body: unknown): Read => {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return { ok: false, problem: problemAt(parsed.error.issues) };
  const { model, messages, tools = [], system, stream, ...settings } = parsed.data;
  const transcript = new Transcript();
  for (const [at, message] of messages.entries()) {
    const wrong = transcript.add(message);
    if (wrong !== null) return { ok: false, problem: `messages.${at}: ${wrong}` };
  }
  const problem = transcriptProblem(transcript.messages);
  if (problem !== null) return { ok: false, problem };
  const uses = transcript.messages.some((message) => message.role === 'tool');
  if (uses && tools.length === 0) return { ok: false, problem: 'tools: required where messages hold tool_use blocks' };
  if (settings.tool_choice !== undefined && tools.length === 0)
    return { ok: false, problem: 'tool_choice: only with tools' };
  return {
    ok: true,
    asked: {
      endpoint: 'anthropic',
      model,
      stream: stream === true,
      instructions: textOf(system),
      messages: transcript.messages,
      tools: tools.map(({ name: tool, description, input_schema: schema }) => ({
        name: tool,
        ...(description === undefined ? {} : { description }),
        parameters: schema as Record<string, Json>,
      })),
      settings: settings as Record<string, Json>,
    },
  };
};

/** Blocks back into messages: results of tools are messages of their own. */
class Transcript {
  readonly messages: ModelMessage[] = [];
  private readonly names = new Map<string, string>();

  /** What is wrong with the blocks of a message, or null. */
  add({ role, content }: Message): string | null {
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    const texts = blocks.filter((block) => block.type === 'text').map((block) => block.text);
    if (role === 'assistant') return this.addAssistant(blocks, texts.join('\n'));
    const firstText = blocks.findIndex(({ type }) => type === 'text');
    for (const [at, block] of blocks.entries()) {
      if (block.type !== 'tool_result') continue;
      if (firstText >= 0 && at > firstText) return 'tool_result blocks come first in their message';
      const { tool_use_id: callId, content: said, is_error: failed } = block;
      const name = this.names.get(callId) ?? '';
      this.messages.push({ role: 'tool', callId, name, text: textOf(said), ...(failed === true ? { failed } : {}) });
    }
    if (texts.length > 0) this.messages.push({ role: 'user', text: texts.join('\n') });
    return null;
  }

  private addAssistant(blocks: Exclude<Message['content'], string>, said: string): string | null {
    const calls: ModelCall[] = [];
    for (const block of blocks) {
      if (block.type !== 'tool_use') continue;
      if (this.names.has(block.id)) return `tool_use ids must be unique: ${block.id}`;
      this.names.set(block.id, block.name);
      calls.push({ id: block.id, name: block.name, arguments: JSON.stringify(block.input) });
    }
    this.messages.push({ role: 'assistant', text: said, calls });
    return null;
  }
}

const STOPS: ReadonlyMap<string, string> = new Map([
  ['answer', 'end_turn'],
  ['calls', 'tool_use'],
  ['length', 'max_tokens'],
]);
const stopOf = ({ finish }: Counted): string => STOPS.get(finish) ?? finish;

const usageOf = ({ usage: { tokensIn, tokensOut } }: Counted) => ({ input_tokens: tokensIn, output_tokens: tokensOut });

/** Only a stream can send what is no JSON. */
const inputOf = (written: string): unknown => JSON.parse(written);

const reply = (counted: Counted): unknown => ({
  id: `msg_${counted.id}`,
  type: 'message',
  role: 'assistant',
  model: counted.model,
  content: [
    ...(counted.text === '' ? [] : [{ type: 'text', text: counted.text }]),
    ...counted.calls.map((call) => ({
      type: 'tool_use',
      id: call.id,
      name: call.name,
      input: inputOf(call.arguments),
    })),
  ],
  stop_reason: stopOf(counted),
  stop_sequence: null,
  usage: usageOf(counted),
});

type Delta = { readonly type: string } & Readonly<Record<string, string>>;

const events = (counted: Counted): readonly string[] => {
  const begun = {
    ...(reply({ ...counted, calls: [] }) as object),
    content: [],
    stop_reason: null,
    usage: { ...usageOf(counted), output_tokens: 1 },
  };
  const blocks: readonly (readonly [object, readonly Delta[]])[] = [
    ...(counted.text === '' ? [] : [textBlockOf(counted.text)]),
    ...counted.calls.map(useBlockOf),
  ];
  return [
    event('message_start', { message: begun }),
    event('ping', {}),
    ...blocks.flatMap(([block, deltas], index) => [
      event('content_block_start', { index, content_block: block }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', { delta: { stop_reason: stopOf(counted), stop_sequence: null }, usage: usageOf(counted) }),
    event('message_stop', {}),
  ];
};

const textBlockOf = (said: string): readonly [object, readonly Delta[]] => [
  { type: 'text', text: '' },
  piecesOf(said).map((piece) => ({ type: 'text_delta', text: piece })),
];

const useBlockOf = (call: ModelCall): readonly [object, readonly Delta[]] => [
  { type: 'tool_use', id: call.id, name: call.name, input: {} },
  piecesOf(call.arguments).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
];

const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const refusal = ({ status, message, code }: Refusal): unknown => ({
  type: 'error',
  error: { type: code ?? TYPES[status] ?? 'api_error', message },
});

/** `POST /v1/messages`. */
export const anthropicWire: Wire = {
  read,
  reply,
  events,
  refusal,
  errorEvent: (code) => event('error', { error: { type: code, message: `the script says ${code}` } }),
};
