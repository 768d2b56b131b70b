import type { Json } from '../json.js';
import { argumentProblems, compile } from './arguments.js';
import type { JsonSchema } from './catalogue.js';

/** Why a JSON Schema cannot be used to check anything; undefined where it can. */
export const schemaProblem = (schema: JsonSchema): string | undefined => {
  const compiled = compile(schema);
  return typeof compiled === 'string' ? compiled : undefined;
};

const POINTER = /^\/\S* /;

/** What is wrong with a value by a JSON Schema: a sentence each, with its place. Empty where it fits. */
export const valueProblems = (schema: JsonSchema, value: Json): readonly string[] =>
  argumentProblems({ value, spots: [], problems: [] }, '', schema).map(({ at, message }) =>
    at === '' ? message : `${at}: ${message.replace(POINTER, '')}`,
  );
