import type { Json } from '@holdfast/programs';

export type { Json } from '@holdfast/programs';

export { jsonSchema } from '@holdfast/programs';

/** Whether a value has at most so many levels of arrays and objects. Itself never goes deeper than that. */
export const isWithinDepth = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  if (levels <= 0) return false;
  return Object.values(value).every((element) => isWithinDepth(element, levels - 1));
};

/** Size of a value as JSON text, bytes of UTF-8. */
export const jsonBytes = (value: Json): number => new TextEncoder().encode(JSON.stringify(value)).length;
