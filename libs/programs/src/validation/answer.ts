import { Ajv2020, type CodeKeywordDefinition, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '../json.js';
import type { JsonSchema } from './catalogue.js';

/** Keywords by which a schema could go in circles, be looked for elsewhere, or answer with a promise. */
const NOT_OFFERED = [
  '$async',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$defs',
  'definitions',
] as const;
/** Items that are compared each with each. */
const UNIQUE_ITEMS_MAX = 100;

// Such a schema comes through the public door. It is read strictly, so that a misspelt keyword does not let anything
// pass, and it can hold no pattern: one that takes for ever would hold up all others. ajv never forgets what it has
// compiled, so each schema gets one of its own.
const reader = (): Ajv2020 => {
  const ajv = new Ajv2020({
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    code: { regExp: noPatterns },
  });
  for (const keyword of NOT_OFFERED) ajv.removeKeyword(keyword);
  return withFewUniqueItems(ajv);
};

const noPatterns = Object.assign(
  (): never => {
    throw new Error('patterns are not offered; use enum, minLength and maxLength');
  },
  { code: 'noPatterns' },
);

const withFewUniqueItems = (ajv: Ajv2020): Ajv2020 => {
  const known = ajv.getKeyword('uniqueItems') as CodeKeywordDefinition;
  return ajv.removeKeyword('uniqueItems').addKeyword({
    ...known,
    code: (context, rule) => {
      const { maxItems = Infinity } = context.parentSchema as { readonly maxItems?: number };
      if (context.schema === true && maxItems > UNIQUE_ITEMS_MAX) {
        throw new Error(`uniqueItems needs a maxItems of at most ${UNIQUE_ITEMS_MAX}`);
      }
      known.code(context, rule);
    },
  });
};

/** Knows what a schema may be; the words for that have patterns of their own. */
const grammar = new Ajv2020({ strict: false });

/** Characters of the schema of an answer, and of the answer of silence: they are part of the history each time. */
export const ASKED_MAX = 16_384;
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** Why a schema cannot be that of an answer; null when it can. */
export const answerSchemaProblem = (schema: JsonSchema): string | null => {
  const bytes = JSON.stringify(schema).length;
  if (bytes > ASKED_MAX) return `it has ${bytes} characters; at most ${ASKED_MAX} are allowed`;
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
  const made = reader().compile(schema);
  compiled.set(schema, made);
  return made;
};
