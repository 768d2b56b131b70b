import type { Anthropic } from '@anthropic-ai/sdk';
import type { ModelCall, ModelReply } from '@holdfast/programs';
import { UnreadableReply } from '../failures.js';
import type { CompleteOptions } from '../model.js';
import { replyOf, shown, tokensOf } from '../wire/assembled.js';

/** Blocks of an answer: what is neither text nor a call says nothing that a transcript holds. */
type Block = { type: 'text'; text: string } | { type: 'call'; call: ModelCall } | { type: 'other' };
type Said = {
  readonly blocks: Block[];
  stop: string | null;
  tokensIn: number | undefined;
  tokensOut: number | undefined;
  model: string | undefined;
};
type Usage = Partial<Anthropic.Usage | Anthropic.MessageDeltaUsage> | null | undefined;

const nothing = (): Said => ({ blocks: [], stop: null, tokensIn: undefined, tokensOut: undefined, model: undefined });

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
const use = (said: Said, usage: Usage, { onUsed }: CompleteOptions): void => {
  const parts = [usage?.input_tokens, usage?.cache_creation_input_tokens, usage?.cache_read_input_tokens].map(tokensOf);
  if (parts.some((part) => part !== undefined))
    said.tokensIn = parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  said.tokensOut = tokensOf(usage?.output_tokens) ?? said.tokensOut;
  const { tokensIn, tokensOut, stop } = said;
  if (tokensIn !== undefined && tokensOut !== undefined) onUsed?.({ tokensIn, tokensOut, final: stop !== null });
};

const concluded = ({ blocks, stop, tokensIn, tokensOut, model }: Said): ModelReply =>
  replyOf({
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: blocks.flatMap((block) => (block.type === 'call' ? [withArguments(block.call)] : [])),
    finish: STOPS[stop ?? ''] ?? 'other',
    usage: { tokensIn: tokensIn ?? 0, tokensOut: tokensOut ?? 0 },
    model,
  });

const withArguments = (call: ModelCall): ModelCall => ({
  ...call,
  arguments: call.arguments === '' ? '{}' : call.arguments,
});

const STOPS: Readonly<Record<string, ModelReply['finish']>> = {
  end_turn: 'answer',
  stop_sequence: 'answer',
  tool_use: 'calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};
