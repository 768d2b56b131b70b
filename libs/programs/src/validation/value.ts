import type { Json } from '../json.js';
import { argumentProblems } from './arguments.js';
import type { JsonSchema } from './catalogue.js';

const POINTER = /^\/\S* /;

/** What is wrong with a value by a JSON Schema: a sentence each, with its place. Empty where it fits. */
export const valueProblems = (schema: JsonSchema, value: Json): readonly string[] =>
  argumentProblems({ value, spots: [], problems: [] }, '', schema).map(({ at, message }) =>
    at === '' ? message : `${at}: ${message.replace(POINTER, '')}`,
  );
