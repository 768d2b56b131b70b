import type { Json } from '@holdfast/programs';
import {
  absent,
  applied,
  describeError,
  ToolFailure,
  unknown,
  type Tool,
  type ToolFetch,
  type ToolQuestion,
  type ToolRequest,
  type ToolResponse,
  type ToolVerdict,
} from '@holdfast/sdk';
import type { z } from 'zod';
import { defineProbe, type Mark, type ProbeSettings } from '../probe.js';

/** A request, as `context.fetch` takes it. */
export type Sent = { readonly url: string } & Pick<ToolRequest, 'method' | 'headers' | 'json' | 'body'>;

export type HttpEffect<Input extends z.ZodType<object>, Output extends z.ZodType> = ProbeSettings & {
  readonly input: Input;
  readonly output: Output;
  /** What makes the effect. It is a POST unless it says otherwise. */
  request(args: z.output<Input>, mark: Mark): Sent;
  /** The header that carries the step's key; default `idempotency-key`. Null where the key is elsewhere in the request. */
  readonly keyHeader?: string | null;
  /** What asks about the key of a call. It must find what the request has made as soon as that was answered. */
  lookup(
    args: z.output<Input>,
    mark: Mark,
  ): { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  /**
   * The result in the answer of the lookup, or null where the answer says that there is none. Default: of a list its first
   * entry, else the answer itself.
   */
  readonly found?: (answer: Json, args: z.output<Input>) => unknown;
  /** Statuses of the lookup that say that there is no such thing; default 404 alone. */
  readonly absentOn?: readonly number[];
  /** The other side promises that a 4xx answer, 408 excepted, means that it changed nothing. */
  readonly clientErrorsChangeNothing?: boolean;
  /** How long the other side surely drops repeats of a key: makes the tool `keyed`. */
  readonly keyTtlMs?: number;
};

const DEFAULTS = { timeoutMs: 10_000, settleMs: 10_000 } as const;

/**
 * A request with an idempotency key, and a lookup by that key. Whatever the other side does not surely answer is asked
 * about. Settle window 10 s by default: the request is one of at most some MiB, and servers give up what they read or do
 * for a client that has gone within seconds; take more where yours queues requests.
 */
export const httpEffect = <Input extends z.ZodType<object>, Output extends z.ZodType>(
  effect: HttpEffect<Input, Output>,
): Tool<z.output<Input>, z.input<Output>> =>
  defineProbe<Input, Output>(effect, {
    ...DEFAULTS,
    input: effect.input,
    output: effect.output,
    keyTtlMs: effect.keyTtlMs,
    act: async (args, { fetch }, mark) => (await send(effect, args, { fetch, mark })) as z.input<Output>,
    look: (args, question, mark) => look(effect, args, { question, mark }),
  });

const send = async <Input extends z.ZodType<object>, Output extends z.ZodType>(
  effect: HttpEffect<Input, Output>,
  args: z.output<Input>,
  { fetch, mark }: { readonly fetch: ToolFetch; readonly mark: Mark },
): Promise<Json> => {
  const { url, ...request } = requestOf(effect, args, mark);
  const { keyHeader = 'idempotency-key' } = effect;
  const keyed = keyHeader === null ? {} : { [keyHeader]: headerValue(mark) };
  const response = await fetch(url, {
    method: 'POST',
    ...request,
    headers: { ...request.headers, ...keyed },
    clientErrorsChangeNothing: effect.clientErrorsChangeNothing === true,
  });
  return jsonOf(response);
};

/** What the user's function throws has sent nothing. */
const requestOf = <Input extends z.ZodType<object>, Output extends z.ZodType>(
  effect: HttpEffect<Input, Output>,
  args: z.output<Input>,
  mark: Mark,
): Sent => {
  try {
    return effect.request(args, mark);
  } catch (error) {
    const message = `no request was made of the arguments: ${describeError(error).message}`;
    throw new ToolFailure(message, { code: 'invalid_request', retry: 'never', effect: 'none', cause: error });
  }
};

/** The key itself where a header can hold it, else its marker. */
const headerValue = ({ key, marker }: Mark): string => (/^[\x21-\x7e]{1,255}$/.test(key) ? key : marker);

const jsonOf = async (response: ToolResponse): Promise<Json> => {
  const text = await response.text();
  return text.trim() === '' ? null : (JSON.parse(text) as Json);
};

const look = async <Input extends z.ZodType<object>, Output extends z.ZodType>(
  effect: HttpEffect<Input, Output>,
  args: z.output<Input>,
  { question, mark }: { readonly question: ToolQuestion; readonly mark: Mark },
): Promise<ToolVerdict<z.input<Output>>> => {
  const { absentOn = [404], found = firstOf } = effect;
  const { url, headers } = effect.lookup(args, mark);
  const response = await question.fetch(url, {
    headers: { 'cache-control': 'no-cache', accept: 'application/json', ...headers },
    accept: absentOn,
  });
  const asked = `asked by GET ${placeOf(url)} for ${mark.marker} of ${mark.key}`;
  if (absentOn.includes(response.status)) return absent(`answered ${response.status}: there is none; ${asked}`);
  const answer = await jsonOf(response);
  if (answer === null) return unknown(`answered ${response.status} with nothing; ${asked}`);
  const result = found(answer, args);
  if (result === null || result === undefined) return absent(`the answer holds none; ${asked}`);
  return applied(result as z.input<Output>, { summary: `found; ${asked}`, details: { answer } });
};

const firstOf = (answer: Json): unknown => (Array.isArray(answer) ? (answer[0] ?? null) : answer);

/** Without what may be secret in a query. */
const placeOf = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
};
