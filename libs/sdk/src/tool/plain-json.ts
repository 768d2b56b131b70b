import type { Json } from '@holdfast/programs';

export type Plain = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

/**
 * A value as it will be read back from the log. What says itself how it is written is (`toJSON`: a date is its ISO
 * text), properties without a value are left out, `undefined` elsewhere is null, -0 is 0, and half a pair of UTF-16 units
 * is U+FFFD. What JSON would drop or change without a word is refused with its place: NaN and infinities, bigint,
 * functions, symbols, maps, sets and whatever else holds more than its properties tell.
 */
export const plainJson = (given: unknown): Plain => {
  try {
    return { ok: true, value: plain(given, ['it'], new Set()) };
  } catch (error) {
    return { ok: false, problem: `the result is not JSON: ${(error as Error).message}` };
  }
};

type Place = readonly [string, ...string[]];

const plain = (given: unknown, place: Place, around: Set<object>): Json => {
  const value = says(given) ? given.toJSON('') : given;
  switch (typeof value) {
    case 'string':
      return value.toWellFormed();
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) return refuse(place, String(value));
      // -0 would come back as 0.
      return value + 0;
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : ofObject(value, place, around);
    default:
      return refuse(place, `a ${typeof value}`);
  }
};

const says = (value: unknown): value is { toJSON(key: string): unknown } =>
  typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function';

const ofObject = (value: object, place: Place, around: Set<object>): Json => {
  if (around.has(value)) return refuse(place, 'a part of itself');
  around.add(value);
  const made = Array.isArray(value)
    ? Array.from(value, (part: unknown, index) => plain(part, [...place, String(index)], around))
    : ofProperties(value, place, around);
  around.delete(value);
  return made;
};

/** What objects hold beside their properties JSON leaves out: they say by their tag what they are. */
const ofProperties = (value: object, place: Place, around: Set<object>): Json => {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (tag !== 'Object') return refuse(place, `a ${tag}`);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      part === undefined ? [] : [[name.toWellFormed(), plain(part, [...place, name], around)]],
    ),
  );
};

const refuse = ([whole, ...path]: Place, what: string): never => {
  throw new TypeError(`${path.length === 0 ? whole : path.join('.')} is ${what}`);
};
