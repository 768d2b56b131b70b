import type { Json } from '../json.js';
import { argumentProblems, compile, QUICK, WHOLE, type Reading } from './arguments.js';
import type { JsonSchema } from './catalogue.js';

/** Why a JSON Schema cannot be used to check anything; undefined where it can. */
export const schemaProblem = (schema: JsonSchema): string | undefined => {
  const compiled = compile(schema, WHOLE);
  return typeof compiled === 'string' ? compiled : undefined;
};

const POINTER = /^\/\S* /;

/**
 * What is wrong with a value by a JSON Schema: a sentence each, with its place. Empty where it fits. Patterns and unique
 * items are not looked at: some take for ever, and whoever asks has others to serve.
 */
export const valueProblems = (schema: JsonSchema, value: Json): readonly string[] => problems(schema, value, QUICK);

/** The same by the whole schema, for whoever serves one call alone and is stopped at its deadline. */
export const wholeValueProblems = (schema: JsonSchema, value: Json): readonly string[] =>
  problems(schema, value, WHOLE);

const problems = (schema: JsonSchema, value: Json, reading: Reading): readonly string[] =>
  argumentProblems({ value, spots: [], problems: [] }, '', schema, reading).map(({ at, message }) =>
    at === '' ? message : `${at}: ${message.replace(POINTER, '')}`,
  );
