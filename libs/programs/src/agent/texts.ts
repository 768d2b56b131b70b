import type { Json } from '../json.js';
import { isJsonObject } from '../template.js';

/** The beginning of a text, at most so many characters, with how much is missing. Pairs are never cut in half. */
export const bounded = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
  return `${text.slice(0, end)}\n[… ${text.length - end} of ${text.length} characters are left out here]`;
};

/** A result as a model reads it. */
export const resultText = (result: Json): string => {
  if (typeof result === 'string') return result;
  if (isJsonObject(result) && result['omitted'] === true && typeof result['bytes'] === 'number') {
    return `The call has succeeded. Its result had ${result['bytes']} bytes, was too large to be kept and cannot be shown.`;
  }
  return JSON.stringify(result);
};

export const TOLD =
  'The outcome of this call is not known: it may have been made. It is being checked. Do not make it again; ' +
  'you will be told here what was found.';

/** What a model hears of a run that goes on though it waits no more. */
export const leftText = (runId: string): string =>
  `The run ${runId} goes on. The same call waits for it again; you are told here how it ends.`;

/** What a model hears of a call that may have acted once nobody looks any more. */
export const neverKnownText = (why: string): string =>
  `It is not known whether this call was made, and nobody will find out: ${why}. Do not take it for failed.`;

/** What was found about a call after the model was told that it is in doubt. */
export const foundText = (call: { readonly name: string; readonly id: string }, said: string): string =>
  `About your call ${call.name} (${call.id}), whose outcome was not known: ${said}`;

/** Whether two JSON values are equal; the order of keys does not count. */
export const sameJson = (a: Json, b: Json): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    const [left, right] = [a as readonly Json[], b as readonly Json[]];
    if (!Array.isArray(a) || !Array.isArray(b) || left.length !== right.length) return false;
    return left.every((element, at) => sameJson(element, right[at] ?? null));
  }
  const [left, right] = [Object.entries(a), b as { readonly [key: string]: Json }];
  if (left.length !== Object.keys(right).length) return false;
  return left.every(([key, value]) => Object.hasOwn(right, key) && sameJson(value, right[key] ?? null));
};
