import type { Json } from './json.js';
import { isJsonArray, isJsonObject } from './template.js';

/** Whether two values that are not equal stand for the same. */
export type AreAlike = (a: Json, b: Json) => boolean;
const never: AreAlike = () => false;

/** Whether two JSON values are equal, or all that differs in them is alike; the order of keys does not count. */
export const sameJson = (a: Json, b: Json, areAlike: AreAlike = never): boolean => {
  if (isJsonArray(a) || isJsonArray(b)) {
    const both = isJsonArray(a) && isJsonArray(b) && a.length === b.length;
    return both && a.every((element, index) => sameJson(element, b[index] ?? null, areAlike));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b || areAlike(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null, areAlike))
  );
};
