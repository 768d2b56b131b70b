import { LIMITS } from '@holdfast/events';
import type { Retry } from '../tool/tool-failure.js';

/** Answers that say "not now"; every other 4xx says that the request itself will never do. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether asking again can help after such an answer, unless the tool says otherwise for the status. */
export const retryAfterStatus = (status: number, own: Readonly<Record<number, Retry>> = {}): Retry =>
  own[status] ?? (status >= 500 || PASSING.has(status) ? 'later' : 'never');

/** What the server did not even begin: it refused the request, so the request has used nothing. */
export const isRefusal = (status: number | null): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 408;

/** How long `Retry-After` asks to wait, ms: given in seconds or as a date. Undefined where it says nothing readable. */
export const retryAfterMs = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, LIMITS.waitMs);
  const at = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), LIMITS.waitMs);
};
