import type { ModelCall, ModelReply } from '@holdfast/programs';
import type { OpenAI } from 'openai';
import { UnreadableReply } from '../failures.js';
import type { CompleteOptions, Used } from '../model.js';
import { replyOf, shown, tokensOf } from '../wire/assembled.js';

// Endpoints that only resemble the first one leave out what its types promise.
type Loose<T> = T extends (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [K in keyof T]?: Loose<T[K]> | null }
    : T;
type Completion = Loose<OpenAI.ChatCompletion>;
type Chunk = Loose<OpenAI.ChatCompletionChunk>;

/** What a choice has said in all. */
type Said = {
  text: string;
  refusal: string;
  calls: ModelCall[];
  finish: string | null;
  used: Used | null;
  model: string | undefined;
};

const nothing = (): Said => ({ text: '', refusal: '', calls: [], finish: null, used: null, model: undefined });

/** A whole answer. */
export const readCompletion = (given: unknown, options: CompleteOptions): ModelReply => {
  const choice = (given as Completion | null)?.choices?.[0];
  if (choice?.message === undefined || choice.message === null)
    throw new UnreadableReply(`it has no choices: ${shown(given)}`);
  const { message, finish_reason: finish } = choice;
  const { usage, model } = given as Completion;
  const said = nothing();
  said.text = message.content ?? '';
  said.refusal = message.refusal ?? '';
  said.calls = (message.tool_calls ?? []).map((call) => {
    const { name, arguments: written } = (call as { function?: { name?: string; arguments?: unknown } }).function ?? {};
    return { id: call?.id ?? '', name: name ?? '', arguments: textOf(written) };
  });
  said.finish = finish ?? '';
  said.model = model ?? undefined;
  use(said, usage, options);
  return concluded(said);
};

/** An answer in pieces. One without an end is none. */
export const readChunks = async (chunks: AsyncIterable<unknown>, options: CompleteOptions): Promise<ModelReply> => {
  const said = nothing();
  for await (const chunk of chunks) hear(said, chunk as Chunk, options);
  if (said.finish === null) throw new UnreadableReply('the stream ended before the answer did');
  return concluded(said);
};

const hear = (said: Said, chunk: Chunk, options: CompleteOptions): void => {
  said.model ??= chunk?.model ?? undefined;
  hearChoice(said, chunk?.choices?.[0], options);
  // Some endpoints say in each piece what is used so far.
  use(said, chunk?.usage, options);
};

const hearChoice = (
  said: Said,
  choice: Loose<OpenAI.ChatCompletionChunk.Choice> | null | undefined,
  { onText }: CompleteOptions,
): void => {
  if (choice === undefined || choice === null) return;
  const { delta, finish_reason: finish } = choice;
  if (typeof delta?.content === 'string' && delta.content !== '') {
    said.text += delta.content;
    onText?.(delta.content);
  }
  said.refusal += delta?.refusal ?? '';
  for (const piece of delta?.tool_calls ?? []) hearCall(said.calls, piece);
  if (typeof finish === 'string') said.finish = finish;
};

type CallPiece = Loose<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall>;

/** Pieces belong to a call by its place; where an endpoint leaves that out, a new id begins a new call. */
const hearCall = (calls: ModelCall[], piece: CallPiece): void => {
  const id = piece?.id ?? '';
  const last = Math.max(calls.length - 1, 0);
  const at = tokensOf(piece?.index) ?? (id !== '' && id !== calls.at(-1)?.id ? calls.length : last);
  if (at > calls.length) throw new UnreadableReply(`call ${at} comes before call ${calls.length}`);
  const known = calls[at] ?? { id: '', name: '', arguments: '' };
  calls[at] = {
    id: known.id === '' ? id : known.id,
    name: known.name + (piece?.function?.name ?? ''),
    arguments: known.arguments + (piece?.function?.arguments ?? ''),
  };
};

const use = (
  said: Said,
  usage: Loose<OpenAI.CompletionUsage> | null | undefined,
  { onUsed }: CompleteOptions,
): void => {
  const tokensIn = tokensOf(usage?.prompt_tokens);
  const tokensOut = tokensOf(usage?.completion_tokens);
  if (tokensIn === undefined || tokensOut === undefined) return;
  said.used = { tokensIn, tokensOut, final: said.finish !== null };
  onUsed?.(said.used);
};

const concluded = ({ text, refusal, calls, finish, used, model }: Said): ModelReply =>
  replyOf({
    text: text === '' ? refusal : text,
    calls,
    finish: refusal === '' ? finishOf(finish, calls.length > 0) : 'refusal',
    usage: { tokensIn: used?.tokensIn ?? 0, tokensOut: used?.tokensOut ?? 0 },
    model,
  });

const finishOf = (reason: string | null, hasCalls: boolean): ModelReply['finish'] => {
  switch (reason) {
    // Some endpoints say `stop` where they ask for calls.
    case 'stop':
      return hasCalls ? 'calls' : 'answer';
    case 'tool_calls':
      return 'calls';
    case 'length':
      return 'length';
    case 'content_filter':
      return 'filtered';
    default:
      return 'other';
  }
};

// Some endpoints write the arguments as an object instead of its text.
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? {}));
