import type { Json } from '@holdfast/programs';
import { refuse, type Place } from '../place.js';
import { readPointer } from './pointer.js';
import { look, readReference, type Reference, type Root, type Scene } from './reference.js';
import { readText, secretText, type Text } from './text.js';

/** A value with places in it that are filled in for each call. */
export type Template =
  | { readonly kind: 'plain'; readonly value: Json }
  | { readonly kind: 'from'; readonly reference: Reference; readonly otherwise: Json | undefined }
  | { readonly kind: 'text'; readonly parts: Text }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, Template])[] };

const FORMS = ['$from', '$pointer', '$text', '$env', '$literal'] as const;
/** Those that may lead nowhere. */
const LOOKING: readonly string[] = ['$from', '$pointer'];

/**
 * Reads `{ $from: args.order }` (`$else` says what stands there where it leads nowhere),
 * `{ $pointer: /data/0/id }` into the body of an answer, `{ $text: 'Order {args.order}' }`,
 * `{ $env: NAME }`, `{ $literal: … }` and whatever is built of them. A text that is not in `$text` is a plain text.
 */
export const readTemplate = (raw: Json, roots: readonly Root[], place: Place): Template => {
  if (typeof raw === 'string') return { kind: 'plain', value: secretText(raw, place) };
  if (typeof raw !== 'object' || raw === null) return { kind: 'plain', value: raw };
  if (Array.isArray(raw)) {
    return { kind: 'list', items: raw.map((item, at) => readTemplate(item as Json, roots, `${place}[${at}]`)) };
  }
  const object = raw as Readonly<Record<string, Json>>;
  const form = FORMS.find((name) => Object.hasOwn(object, name));
  if (form !== undefined) return readForm(form, object, { roots, place });
  const fields = Object.entries(object).map(
    ([name, value]) => [name, readTemplate(value, roots, `${place}.${name}`)] as const,
  );
  return { kind: 'object', fields };
};

type Where = { readonly roots: readonly Root[]; readonly place: Place };

const readForm = (
  form: (typeof FORMS)[number],
  object: Readonly<Record<string, Json>>,
  { roots, place }: Where,
): Template => {
  const { [form]: value = null, ...beside } = object;
  const { $else: otherwise, ...unknown } = beside;
  if (Object.keys(unknown).length > 0 || (otherwise !== undefined && !LOOKING.includes(form))) {
    return refuse(place, `nothing may stand beside ${form}${LOOKING.includes(form) ? ' but $else' : ''}`);
  }
  if (form === '$literal') return { kind: 'plain', value };
  if (form === '$env') return { kind: 'plain', value: secretText(object as Json, place) };
  if (typeof value !== 'string') return refuse(place, `${form} must be a text`);
  if (form === '$text') return { kind: 'text', parts: readText(value, roots, place) };
  if (form === '$pointer') return { kind: 'from', reference: pointerInto(value, roots, place), otherwise };
  return { kind: 'from', reference: readReference(value, roots, place), otherwise };
};

/** Into the body of an answer, for names that a reference cannot write. */
const pointerInto = (text: string, roots: readonly Root[], place: Place): Reference => {
  if (!roots.includes('body')) return refuse(place, '$pointer is for answers; arguments are named by $from');
  return { text, root: 'body', path: readPointer(text, place).path };
};

/** Something that a template speaks of is not there, or cannot stand where it should. */
export class CannotFill extends Error {
  override readonly name = 'CannotFill';
}

/** The value for one call. Throws `CannotFill` where a reference leads nowhere. */
export const fill = (template: Template, scene: Scene): Json => fillAll(template, scene, fill);

/** The same, but a field of an object whose value is a reference that leads nowhere is left out. */
export const fillGiven = (template: Template, scene: Scene): Json => fillAll(template, scene, fillOrLeave);

/** Undefined where the template is a reference that leads nowhere. */
export const fillOrLeave = (template: Template, scene: Scene): Json | undefined =>
  template.kind === 'from' ? fillIn(template, scene) : fillGiven(template, scene);

type FillField = (template: Template, scene: Scene) => Json | undefined;

const fillAll = (template: Template, scene: Scene, field: FillField): Json => {
  switch (template.kind) {
    case 'plain':
      return template.value;
    case 'from':
      return fillIn(template, scene) ?? missing(template.reference);
    case 'text':
      return fillText(template.parts, scene);
    case 'list':
      return template.items.map((item) => fillAll(item, scene, field));
    case 'object':
      return Object.fromEntries(
        template.fields.flatMap(([name, inner]) => {
          const value = field(inner, scene);
          return value === undefined ? [] : [[name, value]];
        }),
      );
  }
};

const fillIn = (template: Template & { readonly kind: 'from' }, scene: Scene): Json | undefined =>
  look(template.reference, scene) ?? template.otherwise;

/** The text for one call; `write` says how a value is written at its place. */
export const fillText = (parts: Text, scene: Scene, write: (value: string) => string = (value) => value): string =>
  parts.map((part) => (typeof part === 'string' ? part : write(wordOf(part, scene)))).join('');

/** A value as a part of a text. */
export const wordOf = (reference: Reference, scene: Scene): string =>
  asWord(look(reference, scene) ?? missing(reference), reference.text);

export const asWord = (value: Json, what: string): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object';
  throw new CannotFill(`${what} is ${kind}; only texts, numbers, true and false can stand in a text`);
};

const missing = ({ text }: Reference): never => {
  throw new CannotFill(`${text} is not there`);
};

/** All references in a template. */
export const referencesIn = (template: Template): readonly Reference[] => {
  switch (template.kind) {
    case 'plain':
      return [];
    case 'from':
      return [template.reference];
    case 'text':
      return referencesInText(template.parts);
    case 'list':
      return template.items.flatMap((item) => referencesIn(item));
    case 'object':
      return template.fields.flatMap(([, field]) => referencesIn(field));
  }
};

export const referencesInText = (parts: Text): readonly Reference[] =>
  parts.filter((part): part is Reference => typeof part !== 'string');
