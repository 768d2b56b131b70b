import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '../json.js';
import type { JsonSchema } from './catalogue.js';

// Such a schema comes through the public door. It is read strictly, so that a misspelt keyword does not let anything
// pass, and it can hold no pattern: one that takes for ever would hold up all others.
const ajv = new Ajv2020({
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
  addUsedSchema: false,
  validateSchema: false,
  messages: true,
  code: {
    regExp: Object.assign(
      (): never => {
        throw new Error('patterns are not offered; use enum, minLength and maxLength');
      },
      { code: 'noPatterns' },
    ),
  },
});
// A promise would pass for a yes, and what it turns out to be would be nobody's.
ajv.removeKeyword('$async');
/** Knows what a schema may be; the words for that have patterns of their own. */
const grammar = new Ajv2020({ strict: false });

/** Characters of the schema of one answer: it is part of the history each time that it is asked. */
const SCHEMA_MAX = 16_384;
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** Why a schema cannot be that of an answer; null when it can. */
export const answerSchemaProblem = (schema: JsonSchema): string | null => {
  const bytes = JSON.stringify(schema).length;
  if (bytes > SCHEMA_MAX) return `it has ${bytes} characters; at most ${SCHEMA_MAX} are allowed`;
  try {
    if (grammar.validateSchema(schema) !== true) return grammar.errorsText();
    compile(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Why a value is no answer by a schema; null when it is one. */
export const answerProblem = (schema: JsonSchema, value: Json): string | null => {
  const validate = compile(schema);
  const fits: unknown = validate(value);
  if (fits === true) return null;
  const [error] = validate.errors ?? [];
  const where = error === undefined || error.instancePath === '' ? 'the answer' : error.instancePath;
  return `${where} ${error?.message ?? 'does not fit'}`;
};

const compile = (schema: JsonSchema): ValidateFunction => {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  try {
    const made = ajv.compile(schema);
    compiled.set(schema, made);
    return made;
  } finally {
    // ajv would keep every schema it ever saw.
    ajv.removeSchema(schema);
  }
};
