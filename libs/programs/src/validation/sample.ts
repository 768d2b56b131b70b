import type { Json, Template } from '../plan.js';
import { unreachable } from '../program-error.js';
import type { Reference } from '../reference.js';
import { formOf, isJsonArray, isJsonObject } from '../template.js';
import type { JsonSchema } from './catalogue.js';
import { placeOf, type PlanProblem } from './problem.js';
import { ANY, pointerTo } from './schema-shape.js';
import { knownOf, type Surroundings } from './surroundings.js';

/** A reference in a template: its JSON pointer in the resolved value, and a schema where the value is not known yet. */
export type Spot = {
  readonly pointer: string;
  readonly at: string;
  readonly text: string;
  readonly schema: JsonSchema | undefined;
};

/** A template resolved as far as is known before the run. Where a value is not known, `value` has null and a spot. */
export type Sample = {
  readonly value: Json;
  readonly spots: readonly Spot[];
  readonly problems: readonly PlanProblem[];
};

type Place = { readonly at: string; readonly pointer: string };

/** Resolves a template that stands at `at`, with every problem of its references. */
export const sampleOf = (template: Template, at: string, around: Surroundings): Sample =>
  sampleAt(template, { at, pointer: '' }, around);

const sampleAt = (template: Template, place: Place, around: Surroundings): Sample => {
  if (isJsonArray(template)) {
    const parts = template.map((element, index) => sampleAt(element, inside(place, index), around));
    return { ...merged(parts), value: parts.map(({ value }) => value) };
  }
  if (!isJsonObject(template)) return whole(template);
  const form = formOf(template);
  switch (form.kind) {
    case 'plain': {
      const entries = Object.entries(template).map(
        ([key, value]) => [key, sampleAt(value, inside(place, key), around)] as const,
      );
      const value = Object.fromEntries(entries.map(([key, sample]) => [key, sample.value]));
      return { ...merged(entries.map(([, sample]) => sample)), value };
    }
    case 'literal':
      return whole(form.value);
    case 'from':
      return sampleReference(form.reference, place, around);
    case 'text':
      return sampleText(form.parts, place, around);
    case 'malformed':
      return unknown(place, '', ANY, [{ at: place.at, code: 'malformed', message: form.problem }]);
    default:
      return unreachable(form);
  }
};

const sampleReference = (reference: Reference, place: Place, around: Surroundings): Sample => {
  const known = knownOf(reference, around);
  if ('code' in known) return unknown(place, reference.text, ANY, [{ at: place.at, ...known }]);
  if ('schema' in known) return unknown(place, reference.text, known.schema, []);
  return { value: known.value, spots: [{ ...place, text: reference.text, schema: undefined }], problems: [] };
};

const sampleText = (parts: readonly (string | Reference)[], place: Place, around: Surroundings): Sample => {
  const references = parts.filter((part) => typeof part !== 'string');
  const problems = references.flatMap((reference) => sampleReference(reference, place, around).problems);
  return unknown(place, 'the text', { type: 'string' }, problems);
};

const inside = ({ at, pointer }: Place, key: string | number): Place => ({
  at: placeOf(at, key),
  pointer: pointerTo(pointer, key),
});

const whole = (value: Json): Sample => ({ value, spots: [], problems: [] });

const unknown = (place: Place, text: string, schema: JsonSchema, problems: readonly PlanProblem[]): Sample => ({
  value: null,
  spots: [{ ...place, text, schema }],
  problems,
});

const merged = (samples: readonly Sample[]): Pick<Sample, 'spots' | 'problems'> => ({
  spots: samples.flatMap(({ spots }) => spots),
  problems: samples.flatMap(({ problems }) => problems),
});
