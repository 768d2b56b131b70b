import { LIMITS } from '@holdfast/events';
import { boundText, isToolFailure, retryAfterMs, ToolFailure, type FailureEffect, type Retry } from '@holdfast/sdk';

/** Why a model gave no answer. The first five may be asked again; the others need a person or another request. */
export const modelFailures = [
  'rate_limited',
  'model_overloaded',
  'model_unavailable',
  'model_reply_unreadable',
  'model_call_stopped',
  'model_unauthorized',
  'model_quota_exhausted',
  'model_request_refused',
  'context_too_long',
  'model_not_configured',
] as const;
export type ModelFailureCode = (typeof modelFailures)[number];

/** Who was asked, and within what, for messages. */
export type About = {
  readonly label: string;
  /** The variable that its key came from; null where the key was given in code, or there is none. */
  readonly keyName: string | null;
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly deadline: number;
};

const SAID_BYTES_MAX = 2_048;

/** What came is no answer. Asked again, the endpoint may do better. */
export class UnreadableReply extends Error {
  override readonly name = 'UnreadableReply';
}

type Next = { readonly retry: Retry; readonly effect: FailureEffect; readonly retryAfterMs?: number | undefined };
/** Another try may help; what this one has used is not known. */
const passing: Next = { retry: 'later', effect: 'unknown' };
/** The endpoint has not begun, so nothing was used, and it will not begin the next time either. */
const final: Next = { retry: 'never', effect: 'none' };

/** A failure of a model, with what was asked and what happened in bounded words. */
export const modelFailure = (code: ModelFailureCode, message: string, next: Next = final): ToolFailure => {
  const { retry, effect, retryAfterMs: after } = next;
  const wait = after === undefined ? {} : { retryAfterMs: after };
  return new ToolFailure(boundText(message, SAID_BYTES_MAX), { code, retry, effect, ...wait });
};

/** What a client of an endpoint has thrown, as a failure that says what happens next. */
export const failureOf = (error: unknown, about: About): ToolFailure => {
  const chain = causesOf(error);
  const own = chain.find(isToolFailure);
  if (own !== undefined) return own;
  const answered = chain.find(isAnswered);
  if (answered !== undefined) return refusedBy(answered, about);
  const late = stopped(about);
  if (late !== null) return late;
  const { label } = about;
  const broken = chain.find(isUnreadable);
  if (broken !== undefined)
    return modelFailure(
      'model_reply_unreadable',
      `${label} gave an answer that cannot be read: ${messageOf(broken)}`,
      passing,
    );
  const told = chain.find(isTold);
  if (told !== undefined) return brokenOff(told, about);
  return modelFailure('model_unavailable', `${label} gave no whole answer: ${messageOf(chain.at(-1))}`, passing);
};

/** Why nobody waits for the answer any more, or null. */
export const stopped = ({ label, deadline, signal }: About): ToolFailure | null => {
  if (Date.now() >= deadline)
    return modelFailure('model_unavailable', `${label} gave no whole answer by the deadline of the call`, passing);
  if (!signal.aborted) return null;
  return modelFailure('model_call_stopped', `${label} was not heard to the end: the call was stopped`, passing);
};

/** An answer with an error status, as the clients throw it. */
type Answered = {
  readonly status: number;
  readonly headers?: { get(name: string): string | null } | undefined;
} & Told;
/** An error as an endpoint tells it: one wraps its kind once, the other twice. */
type Told = {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly error: { readonly type?: unknown; readonly code?: unknown; readonly error?: { readonly type?: unknown } };
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isAnswered = (error: unknown): error is Answered => isObject(error) && typeof error['status'] === 'number';
// By name: what a client throws may be of another realm.
const isUnreadable = (error: unknown): boolean =>
  isObject(error) && (error['name'] === 'UnreadableReply' || error['name'] === 'SyntaxError');
const isTold = (error: unknown): error is Told => isObject(error) && isObject(error['error']);

const refusedBy = (answered: Answered, about: About): ToolFailure => {
  const { status } = answered;
  const said = `${about.label} answered ${messageOf(answered)}`;
  const wait = waitOf(answered);
  if (status === 402 || OUT_OF_FUNDS.test(kindsOf(answered)))
    return modelFailure('model_quota_exhausted', `${said}. Somebody has to pay, or to raise the quota`);
  if (status === 429 || status === 529)
    return modelFailure('rate_limited', said, { retry: 'later', effect: 'none', retryAfterMs: wait });
  if (status >= 500 || MAY_PASS.has(status)) {
    const code = status === 503 ? 'model_overloaded' : 'model_unavailable';
    return modelFailure(code, said, { ...passing, retryAfterMs: wait });
  }
  if (status === 401 || status === 403) return modelFailure('model_unauthorized', `${said}. ${keyAdvice(about)}`);
  if (status === 413 || TOO_LONG.test(`${kindsOf(answered)} ${said}`)) return modelFailure('context_too_long', said);
  return modelFailure('model_request_refused', `${said}${advice(status)}`);
};

const MAY_PASS: ReadonlySet<number> = new Set([408, 409, 425]);
const OUT_OF_FUNDS = /insufficient_quota|billing_error/;
const TOO_LONG =
  /context_length_exceeded|context (length|window)|maximum context|(prompt|input) is too long|too many (input )?tokens/i;

const advice = (status: number): string => {
  if (status === 404) return '. Is the model named right, and is the URL the one below which the API begins?';
  return status < 400 ? '. Redirects are not followed: give the URL that it redirects to' : '';
};

const keyAdvice = ({ keyName }: About): string =>
  keyName === null ? 'Look at the key that it was given' : `Look at ${keyName}, which holds its key`;

const kindsOf = ({ code, type, error }: Told): string =>
  [code, type, error?.code, error?.type, error?.error?.type].filter((kind) => typeof kind === 'string').join(' ');

/** How long the endpoint asks to wait. The header in ms is the exact one of two. */
const waitOf = ({ headers }: Answered): number | undefined => {
  const ms = headers?.get('retry-after-ms')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(ms)) return Math.min(Math.ceil(Number(ms)), LIMITS.waitMs);
  return retryAfterMs(headers?.get('retry-after') ?? undefined, Date.now());
};

/** An error that came in the middle of an answer that had begun well. */
const brokenOff = (told: Told, { label }: About): ToolFailure => {
  const said = `${label} broke off: ${messageOf(told)}`;
  const kinds = kindsOf(told);
  if (kinds.includes('rate_limit')) return modelFailure('rate_limited', said, passing);
  return modelFailure(kinds.includes('overloaded') ? 'model_overloaded' : 'model_unavailable', said, passing);
};

const CAUSES_MAX = 8;

/** An error and what it says to be caused by, the outermost first. */
const causesOf = (error: unknown): readonly unknown[] => {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && chain.length < CAUSES_MAX;) {
    chain.push(at);
    at = (at as { cause?: unknown }).cause;
  }
  return chain;
};

const messageOf = (error: unknown): string => {
  const { message, code } = (isObject(error) ? error : {}) as { message?: unknown; code?: unknown };
  const text = typeof message === 'string' && message !== '' ? message : String(error);
  return typeof code === 'string' && !text.includes(code) ? `${text} (${code})` : text;
};
