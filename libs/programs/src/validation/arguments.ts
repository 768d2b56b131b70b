import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from './catalogue.js';
import { placeOf, type PlanProblem, type PlanProblemCode } from './problem.js';
import type { Sample, Spot } from './sample.js';
import { ANY, canBe, hasCombinators, pointerKeys, schemaAt } from './schema-shape.js';

// What comes with tools of others and may take for ever is left to the executor, which checks each call: patterns, and
// items that are compared each with each.
const anyText = Object.assign(() => ({ test: () => true }), { code: 'anyText' });

// Schemas were checked when the tool was registered; here a loose reading is the safe one.
const LOOSE = { strict: false, allErrors: true, validateFormats: false, validateSchema: false } as const;
const quick = new Ajv2020({ ...LOOSE, code: { regExp: anyText } })
  .removeKeyword('patternProperties')
  .removeKeyword('uniqueItems');
const whole = new Ajv2020(LOOSE);

type Compiled = WeakMap<JsonSchema, ValidateFunction | string>;
/** How a schema is read: `quick` where many lanes wait for it, `whole` where only the call itself does. */
export type Reading = { readonly ajv: Ajv2020; readonly compiled: Compiled };
export const QUICK: Reading = { ajv: quick, compiled: new WeakMap() };
export const WHOLE: Reading = { ajv: whole, compiled: new WeakMap() };

/** Keywords whose errors hold even though a value below is not known yet. */
const STRUCTURAL = new Set([
  'type',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'minItems',
  'maxItems',
]);
const IN_COMBINATOR = /\/(?:anyOf|oneOf|allOf|not|if|then|else|dependentSchemas|contains)(?:\/|$)/;
const IN_DEFINITION = /^#\/(?:\$defs|definitions)\//;

/** Checks arguments, as far as they are known, against the input schema of their tool. */
export const argumentProblems = (
  sample: Sample,
  at: string,
  schema: JsonSchema,
  reading = QUICK,
): readonly PlanProblem[] => {
  const validate = compile(schema, reading);
  if (typeof validate === 'string') {
    return [{ at, code: 'unusable_schema', message: `the tool's input schema cannot be used: ${validate}` }];
  }
  const open = sample.spots.filter((spot) => spot.schema !== undefined);
  const vague = open.length > 0 && hasCombinators(schema);
  const errors = validate(sample.value) ? [] : (validate.errors ?? []);
  return [
    ...errors.filter((error) => isCertain(error, open, vague)).map((error) => asProblem(error, at, sample.spots)),
    ...open.flatMap((spot) => mismatch(spot, schema)),
  ];
};

/** What checks a value by a schema, or why the schema cannot be used. */
export const compile = (schema: JsonSchema, reading = QUICK): ValidateFunction | string => {
  const known = reading.compiled.get(schema);
  if (known !== undefined) return known;
  const made = tryCompile(schema, reading);
  reading.compiled.set(schema, made);
  return made;
};

const tryCompile = (schema: JsonSchema, { ajv }: Reading): ValidateFunction | string => {
  try {
    return ajv.compile(schema);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    // ajv would keep every schema it ever saw; the weak maps above keep those that are still in a catalogue.
    ajv.removeSchema(schema);
  }
};

// With values still unknown, an error counts only if no later value can mend it.
const isCertain = (error: ErrorObject, open: readonly Spot[], vague: boolean): boolean => {
  if (open.some(({ pointer }) => isWithin(error.instancePath, pointer))) return false;
  if (vague && (IN_COMBINATOR.test(error.schemaPath) || IN_DEFINITION.test(error.schemaPath))) return false;
  return STRUCTURAL.has(error.keyword) || !open.some(({ pointer }) => isWithin(pointer, error.instancePath));
};

const isWithin = (pointer: string, whole: string): boolean => pointer === whole || pointer.startsWith(`${whole}/`);

const mismatch = (spot: Spot, schema: JsonSchema): readonly PlanProblem[] => {
  const target = schemaAt(schema, pointerKeys(spot.pointer)) ?? ANY;
  if (canBe(spot.schema ?? ANY, target)) return [];
  const message = `${spot.text} is ${typesText(spot.schema ?? ANY)}, not ${typesText(target)}`;
  return [{ at: spot.at, code: 'argument_wrong', message }];
};

const typesText = (schema: JsonSchema): string => JSON.stringify(schema['type'] ?? schema['anyOf'] ?? schema['oneOf']);

const CODES: Readonly<Record<string, PlanProblemCode>> = {
  required: 'argument_missing',
  additionalProperties: 'argument_unknown',
  unevaluatedProperties: 'argument_unknown',
};

const asProblem = (error: ErrorObject, at: string, spots: readonly Spot[]): PlanProblem => {
  const code = CODES[error.keyword] ?? 'argument_wrong';
  const spot = spots.find(({ pointer }) => isWithin(error.instancePath, pointer));
  const below = spot === undefined ? error.instancePath : error.instancePath.slice(spot.pointer.length);
  const message = [spot?.text, below, messageOf(error)].filter((text) => text !== undefined && text !== '').join(' ');
  if (spot !== undefined) return { at: spot.at, code, message };
  const place = pointerKeys(error.instancePath).reduce((found, key) => placeOf(found, positionOr(key)), at);
  const property = propertyOf(error);
  return { at: property === undefined ? place : placeOf(place, property), code, message };
};

const positionOr = (key: string): string | number => (/^\d+$/.test(key) ? Number(key) : key);

const propertyOf = ({ params }: ErrorObject): string | undefined => {
  const named: unknown = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof named === 'string' ? named : undefined;
};

const messageOf = (error: ErrorObject): string => {
  const property = propertyOf(error);
  const allowed: unknown = error.params['allowedValues'];
  if (error.keyword === 'required' && property !== undefined) return `${property} is missing`;
  if (property !== undefined) return `${property} is not an argument of the tool`;
  return `${error.message ?? error.keyword}${allowed === undefined ? '' : ` ${JSON.stringify(allowed)}`}`;
};
