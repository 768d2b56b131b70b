import type { Amounts } from '@holdfast/events';

/** What a word says to have used, as an event holds it: only where it says something. */
export const usedIn = (
  word: { readonly used?: Amounts | undefined } | undefined,
): { readonly used?: Record<string, number | string> } => (word?.used === undefined ? {} : { used: { ...word.used } });
