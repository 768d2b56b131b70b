import type { Json } from '@holdfast/programs';
import { refuse, type Place } from '../place.js';

/** A JSON Pointer (RFC 6901), read: `/data/0/id`. */
export type Pointer = { readonly text: string; readonly path: readonly string[] };

export const readPointer = (text: string, place: Place): Pointer => {
  if (text !== '' && !text.startsWith('/')) {
    return refuse(place, `${text} is no JSON Pointer: it begins with /, for example /data/0/id`);
  }
  const path = text === '' ? [] : text.slice(1).split('/');
  return { text, path: path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')) };
};

/** What a pointer leads to, by own properties and positions; undefined where that is nothing. */
export const at = ({ path }: Pointer, value: Json): Json | undefined => {
  let found: Json | undefined = value;
  for (const part of path) found = found === undefined ? undefined : entry(found, part);
  return found;
};

const entry = (value: Json, part: string): Json | undefined => {
  if (Array.isArray(value))
    return /^(?:0|[1-9]\d*)$/.test(part) ? (value[Number(part)] as Json | undefined) : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Readonly<Record<string, Json>>)[part];
};
