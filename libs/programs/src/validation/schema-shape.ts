import { own } from '../own.js';
import type { Json } from '../plan.js';
import { arrayIndex } from '../reference.js';
import { isJsonArray, isJsonObject } from '../template.js';
import type { JsonSchema } from './catalogue.js';

/** The schema that says nothing. */
export const ANY: JsonSchema = {};

const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'dependentSchemas', 'patternProperties', '$dynamicRef'];
const REFS_MAX = 16;

/** What a schema says of the value at a path: a schema, `ANY` where it does not say, undefined where nothing can be. */
export const schemaAt = (schema: JsonSchema, path: readonly string[]): JsonSchema | undefined => {
  let found: JsonSchema | undefined = schema;
  for (const segment of path) {
    if (found === undefined) return undefined;
    found = step(dereferenced(schema, found), segment);
  }
  return found === undefined ? undefined : dereferenced(schema, found);
};

/** The JSON types a schema allows; undefined where it does not say. */
export const typesOf = (schema: JsonSchema): ReadonlySet<string> | undefined => {
  const type = own(schema, 'type');
  if (typeof type === 'string') return new Set([type]);
  if (type !== undefined && isJsonArray(type)) return new Set(type.map(String));
  const choices = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (choices === undefined || !isJsonArray(choices)) return undefined;
  const types = choices.map((choice) => (isJsonObject(choice) ? typesOf(choice) : undefined));
  if (types.some((known) => known === undefined)) return undefined;
  return new Set(types.flatMap((known) => [...(known ?? [])]));
};

/** Whether a value of one schema can be a value of the other, as far as their types say. */
export const canBe = (source: JsonSchema, target: JsonSchema): boolean => {
  const from = typesOf(source);
  const to = typesOf(target);
  if (from === undefined || to === undefined) return true;
  return [...from].some((type) => to.has(type)) || (hasNumbers(from) && hasNumbers(to));
};

const hasNumbers = (types: ReadonlySet<string>): boolean => types.has('number') || types.has('integer');

/** Whether a schema, at any depth, has keywords whose errors cannot be laid to one place. */
export const hasCombinators = (schema: Json): boolean => {
  if (isJsonArray(schema)) return schema.some(hasCombinators);
  if (!isJsonObject(schema)) return false;
  return COMBINATORS.some((keyword) => Object.hasOwn(schema, keyword)) || Object.values(schema).some(hasCombinators);
};

const step = (schema: JsonSchema, segment: string): JsonSchema | undefined => {
  const types = typesOf(schema);
  if (types !== undefined && !types.has('object') && !types.has('array')) return undefined;
  const inArray = types?.has('object') === true ? undefined : arrayIndex(segment);
  if (inArray !== undefined && types?.has('array') === true) return element(schema, inArray);
  if (types !== undefined && !types.has('object')) return undefined;
  return property(schema, segment);
};

const element = (schema: JsonSchema, index: number): JsonSchema | undefined => {
  const first = own(schema, 'prefixItems');
  const listed = first !== undefined && isJsonArray(first) ? first[index] : undefined;
  return asSchema(listed ?? own(schema, 'items'));
};

const property = (schema: JsonSchema, key: string): JsonSchema | undefined => {
  const properties = own(schema, 'properties');
  const listed = properties !== undefined && isJsonObject(properties) ? own(properties, key) : undefined;
  if (listed !== undefined) return asSchema(listed);
  if (COMBINATORS.some((keyword) => Object.hasOwn(schema, keyword))) return ANY;
  return asSchema(own(schema, 'additionalProperties'));
};

const asSchema = (value: Json | undefined): JsonSchema | undefined => {
  if (value === false) return undefined;
  return value !== undefined && isJsonObject(value) ? value : ANY;
};

const dereferenced = (root: JsonSchema, schema: JsonSchema): JsonSchema => {
  let found = schema;
  for (let refs = 0; refs < REFS_MAX; refs += 1) {
    const ref = own(found, '$ref');
    if (typeof ref !== 'string') return found;
    const target = ref.startsWith('#') ? pointed(root, ref.slice(1)) : undefined;
    if (target === undefined) return ANY;
    found = target;
  }
  return ANY;
};

const pointed = (root: JsonSchema, pointer: string): JsonSchema | undefined => {
  let found: Json | undefined = root;
  for (const key of pointerKeys(pointer)) {
    found = found !== undefined && isJsonObject(found) ? own(found, key) : undefined;
  }
  return found !== undefined && isJsonObject(found) ? found : undefined;
};

/** The keys of a JSON pointer: `/a~1b/0` → `a/b`, `0`. */
export const pointerKeys = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** A JSON pointer, one key longer. */
export const pointerTo = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
