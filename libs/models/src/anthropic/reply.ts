import type { Anthropic } from '@anthropic-ai/sdk';
import type { ModelCall, ModelReply } from '@holdfast/programs';
import { UnreadableReply } from '../failures.js';
import type { CompleteOptions } from '../model.js';
import { replyOf, shown, tokensOf } from '../wire/assembled.js';

/** Blocks of an answer: what is neither text nor a call says nothing that a transcript holds. */
type Block = { type: 'text'; text: string } | { type: 'call'; call: ModelCall } | { type: 'other' };
type Said = {
  readonly blocks: Block[];
  readonly tokens: Map<keyof typeof DIRECTIONS, number>;
  stop: string | null;
  model: string | undefined;
};
type Usage = Partial<Anthropic.Usage | Anthropic.MessageDeltaUsage> | null | undefined;

const nothing = (): Said => ({ blocks: [], tokens: new Map(), stop: null, model: undefined });

/** A whole answer. */
export const readMessage = (given: unknown, options: CompleteOptions): ModelReply => {
  const { content, stop_reason: stop, usage, model } = (given ?? {}) as Partial<Anthropic.Message>;
  if (!Array.isArray(content)) throw new UnreadableReply(`it has no content: ${shown(given)}`);
  const said = nothing();
  said.blocks.push(...(content as Anthropic.ContentBlock[]).map(wholeBlock));
  said.stop = stop ?? '';
  said.model = model;
  use(said, usage, options);
  return concluded(said);
};

/** An answer in events. One without an end is none. */
export const readEvents = async (events: AsyncIterable<unknown>, options: CompleteOptions): Promise<ModelReply> => {
  const said = nothing();
  for await (const event of events) hear(said, event as Anthropic.RawMessageStreamEvent, options);
  if (said.stop === null) throw new UnreadableReply('the stream ended before the answer did');
  return concluded(said);
};

const wholeBlock = (block: Anthropic.ContentBlock): Block => {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type !== 'tool_use') return { type: 'other' };
  const { id, name, input } = block;
  return { type: 'call', call: { id, name, arguments: JSON.stringify(input ?? {}) } };
};

const hear = (said: Said, event: Anthropic.RawMessageStreamEvent, options: CompleteOptions): void => {
  switch (event.type) {
    case 'message_start':
      said.model = event.message?.model;
      return use(said, event.message?.usage, options);
    case 'content_block_start':
      return begin(said, event);
    case 'content_block_delta':
      return add(said, event, options);
    case 'message_delta':
      said.stop = event.delta?.stop_reason ?? said.stop;
      return use(said, event.usage, options);
    default:
      return;
  }
};

const begin = ({ blocks }: Said, { index, content_block: block }: Anthropic.RawContentBlockStartEvent): void => {
  if (index !== blocks.length)
    throw new UnreadableReply(`block ${index} comes where block ${blocks.length} is awaited`);
  const begun = wholeBlock(block);
  // Its arguments come in pieces from here on.
  blocks.push(begun.type === 'call' ? { type: 'call', call: { ...begun.call, arguments: '' } } : begun);
};

const add = (
  { blocks }: Said,
  { index, delta }: Anthropic.RawContentBlockDeltaEvent,
  { onText }: CompleteOptions,
): void => {
  const block = blocks[index];
  if (delta.type === 'text_delta' && block?.type === 'text') {
    blocks[index] = { type: 'text', text: block.text + delta.text };
    onText?.(delta.text);
  }
  if (delta.type === 'input_json_delta' && block?.type === 'call') {
    const { call } = block;
    blocks[index] = { type: 'call', call: { ...call, arguments: call.arguments + delta.partial_json } };
  }
};

/** What was read from a cache or put into one counts as tokens in, like the rest. */
const DIRECTIONS = {
  input_tokens: 'in',
  cache_creation_input_tokens: 'in',
  cache_read_input_tokens: 'in',
  output_tokens: 'out',
} as const;
const COUNTED = Object.keys(DIRECTIONS) as (keyof typeof DIRECTIONS)[];

/** Counts are of the whole answer, and later words leave out what has not changed. */
const use = ({ tokens, stop }: Said, usage: Usage, { onUsed }: CompleteOptions): void => {
  for (const name of COUNTED) {
    const count = tokensOf(usage?.[name]);
    if (count !== undefined) tokens.set(name, count);
  }
  if (!tokens.has('input_tokens') || !tokens.has('output_tokens')) return;
  onUsed?.({ ...totals(tokens), final: stop !== null });
};

const totals = (tokens: Said['tokens']) => {
  const sum = (direction: 'in' | 'out'): number =>
    [...tokens].reduce((all, [name, count]) => (DIRECTIONS[name] === direction ? all + count : all), 0);
  return { tokensIn: sum('in'), tokensOut: sum('out') };
};

const concluded = ({ blocks, stop, tokens, model }: Said): ModelReply =>
  replyOf({
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: blocks.flatMap((block) => (block.type === 'call' ? [withArguments(block.call)] : [])),
    finish: STOPS.get(stop ?? '') ?? 'other',
    usage: totals(tokens),
    model,
  });

const withArguments = (call: ModelCall): ModelCall => ({
  ...call,
  arguments: call.arguments === '' ? '{}' : call.arguments,
});

const STOPS: ReadonlyMap<string, ModelReply['finish']> = new Map([
  ['end_turn', 'answer'],
  ['stop_sequence', 'answer'],
  ['tool_use', 'calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);
