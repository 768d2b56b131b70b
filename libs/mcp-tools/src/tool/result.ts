import { LIMITS } from '@holdfast/events';
import type { Json, JsonSchema } from '@holdfast/programs';
import { jsonObject, sha256 } from '@holdfast/sdk';
import type { Answer } from '../server/connection.js';

/** Pictures and other bytes up to this size are kept as they came; larger ones by size and hash. */
export const BYTES_KEPT = 16 * 1024;

type Part = Answer['content'][number];
type Kept = { readonly [key: string]: Json };
export type McpResult = { readonly content: readonly Kept[]; readonly structured?: Kept; readonly recovered?: Kept };

/** What a step gets: the answer's content, its structured part, and nothing that a record could not hold. */
export const resultOf = ({ content, structuredContent }: Answer): McpResult => ({
  content: content.map(kept),
  ...(structuredContent === undefined ? {} : { structured: plain(structuredContent) }),
});

/** All that an answer says in words. */
export const textOf = ({ content }: Answer): string =>
  content.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : textInside(part))).join('\n');

const textInside = ({ resource }: Part): readonly string[] => {
  const text = typeof resource === 'object' && resource !== null ? (resource as { text?: unknown }).text : undefined;
  return typeof text === 'string' ? [text] : [];
};

const kept = (part: Part): Kept => {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: typeof part['text'] === 'string' ? part['text'] : '' };
    case 'image':
    case 'audio':
      return { type: part.type, ...told(part, ['mimeType']), ...bytesOf(part['data'], 'data') };
    case 'resource':
      return { type: 'resource', ...resource(part['resource']) };
    case 'resource_link':
      return { type: 'resource_link', ...told(part, ['uri', 'name', 'title', 'description', 'mimeType']) };
    default:
      return otherwise(part);
  }
};

const resource = (value: unknown): Kept => {
  if (typeof value !== 'object' || value === null) return {};
  const part = value as Record<string, unknown>;
  return { ...told(part, ['uri', 'mimeType', 'text']), ...bytesOf(part['blob'], 'blob') };
};

/** A kind of content that is not known yet. */
const otherwise = (part: Part): Kept => {
  const text = JSON.stringify(part);
  const bytes = Buffer.byteLength(text);
  return bytes <= BYTES_KEPT ? plain(part) : { type: part.type, bytes, sha256: sha256(text) };
};

const told = (part: Readonly<Record<string, unknown>>, names: readonly string[]): Kept =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = part[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

const bytesOf = (base64: unknown, name: string): Kept => {
  if (typeof base64 !== 'string') return {};
  if (base64.length <= BYTES_KEPT) return { [name]: base64 };
  const bytes = Buffer.from(base64, 'base64');
  return { bytes: bytes.length, sha256: sha256(bytes) };
};

const plain = (value: object): Kept => JSON.parse(JSON.stringify(value)) as Kept;

const PART: JsonSchema = {
  type: 'object',
  properties: { type: { type: 'string' }, text: { type: 'string' } },
  required: ['type'],
};

/** The type of every result. What a server promises of its structured part is checked where it can be told apart. */
export const resultType = (outputSchema: JsonSchema | undefined): ReturnType<typeof jsonObject> =>
  jsonObject({
    properties: {
      content: { type: 'array', items: PART },
      structured: structuredIn(outputSchema),
      recovered: { type: 'object' },
    },
    required: ['content'],
    additionalProperties: false,
    ...definitionsOf(outputSchema),
  });

const ANY: JsonSchema = { type: 'object' };
const REFERENCE = /"\$(?:ref|dynamicRef)":"(?!#\/(?:\$defs|definitions)\/)/;

/** Definitions move to the top, where references look for them; a schema that refers to itself otherwise is not checked. */
const structuredIn = (schema: JsonSchema | undefined): JsonSchema => {
  if (schema === undefined || REFERENCE.test(JSON.stringify(schema))) return ANY;
  const { $defs: _, definitions: __, $schema: ___, $id: ____, ...rest } = schema;
  return rest;
};

const definitionsOf = (schema: JsonSchema | undefined): JsonSchema => {
  const { $defs, definitions } = schema ?? {};
  return { ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }) };
};

/** A text of the answer as it may stand in a record of evidence. */
export const BEGINNING_BYTES = LIMITS.evidenceBytes / 8;
