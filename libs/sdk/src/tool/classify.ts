import { hasEffect, LIMITS, shorten, type Amounts, type Failure, type ReplayPolicy } from '@holdfast/events';
import { sha256 } from '../digest.js';
import { isHttpError } from '../http/http.js';
import { knownSecrets } from '../secrets/secrets.js';
import { isRefusal } from '../http/statuses.js';
import { isToolFailure, isWait, type Retry } from './tool-failure.js';

/** What a thrown error means. `failed`: the attempt did not act; `unknown`: it may have acted. */
export type Classified =
  | {
      readonly outcome: 'failed';
      readonly failure: Failure;
      readonly retry: Retry;
      readonly retryAfterMs?: number;
      readonly used?: Amounts;
    }
  | { readonly outcome: 'unknown'; readonly failure: Failure; readonly used?: Amounts };

/**
 * What an error thrown by a tool of this policy means. Only the tool itself can say that nothing happened
 * (`ToolFailure` with `effect: 'none'`); a tool without effects cannot leave one in doubt.
 */
export const classify = (error: unknown, policy: ReplayPolicy): Classified => {
  const failure = describeError(error);
  const said = isToolFailure(error) ? error : null;
  const unsure = hasEffect(policy) && said?.effect !== 'none';
  if (unsure) return { outcome: 'unknown', failure };
  const advice = said ?? (isHttpError(error) ? error : null);
  return {
    outcome: 'failed',
    failure,
    retry: advice?.retry ?? 'later',
    ...(advice === null || advice.retry === 'never' ? {} : toldIn(advice)),
    ...(usedNothing(error) ? { used: {} } : {}),
  };
};

/** When to come back, as a record may hold it: whoever brings another copy of this library may have checked nothing. */
const toldIn = ({ retryAfterMs }: { readonly retryAfterMs: unknown }): { readonly retryAfterMs?: number } => {
  if (!isWait(retryAfterMs)) return {};
  return { retryAfterMs: Math.min(Math.round(retryAfterMs), LIMITS.waitMs) };
};

/** Whoever was asked has refused, or the tool says that nothing happened: then nothing was used either. */
const usedNothing = (error: unknown): boolean =>
  (isToolFailure(error) && error.effect === 'none') || (isHttpError(error) && isRefusal(error.status));

/** Code and message of anything that was thrown, bounded to what a record may hold. */
export const describeError = (error: unknown): Failure => {
  try {
    return { code: codeOf(error), message: boundText(messageOf(error), LIMITS.evidenceBytes) };
  } catch {
    return { code: 'exception', message: 'the thrown value cannot be described' };
  }
};

const codeOf = (error: unknown): string => {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && code.length > 0 ? shorten(knownSecrets.mask(code), 100) : 'exception';
};

const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  // Errors of another realm (a vm context, a worker) are no `Error` here.
  const message = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : undefined;
  return typeof message === 'string' ? message : String(error);
};

/**
 * Without any secret that this process knows, at most `bytesMax` bytes of UTF-8, well formed and cut at a whole character.
 * What was cut says how long it was, and begins its hash, so that it can be told from others that begin alike.
 */
export const boundText = (whole: string, bytesMax: number): string => {
  // Before it is cut: half a secret would not be found.
  const text = knownSecrets.mask(whole);
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= bytesMax) return text.toWellFormed();
  const mark = `… (${bytes.length} bytes, sha256 ${sha256(bytes).slice(0, 16)})`;
  let end = Math.max(bytesMax - Buffer.byteLength(mark), 0);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}${mark}`;
};
