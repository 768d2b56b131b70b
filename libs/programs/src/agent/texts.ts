import type { Json } from '../json.js';
import { isJsonObject } from '../template.js';
import { cut } from '../text.js';

/** The beginning of a text, at most so many characters, with how much is missing. Pairs are never cut in half. */
export const bounded = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const shown = cut(text, most);
  return `${shown}\n[… ${text.length - shown.length} of ${text.length} characters are left out here]`;
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
