import type { Json } from './json.js';

/** Whether a value holds the place of a result that was too large to be kept. */
export const holdsOmitted = (value: Json): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if ('omitted' in value && value.omitted === true && 'sha256' in value && 'bytes' in value) return true;
  return Object.values(value as { readonly [key: string]: Json }).some(holdsOmitted);
};
