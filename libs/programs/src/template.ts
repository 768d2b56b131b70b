import { own } from './own.js';
import type { Json, Template } from './plan.js';
import { unreachable } from './program-error.js';
import { parseReference, parseText, type Reference } from './reference.js';

/** A JSON object or array, as opposed to a plain value. */
export type JsonObject = { readonly [key: string]: Json };
export const isJsonArray = (value: Json): value is readonly Json[] => Array.isArray(value);
export const isJsonObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an object in a template stands for. `problem` when it has one of the reserved keys but not its form. */
export type Form =
  | { readonly kind: 'plain' }
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'from'; readonly reference: Reference }
  | { readonly kind: 'text'; readonly parts: readonly (string | Reference)[] }
  | { readonly kind: 'malformed'; readonly problem: string };

const RESERVED = ['$from', '$text', '$literal'] as const;
const PLAIN: Form = { kind: 'plain' };

/** Reads the form of one object of a template: `$from`, `$text`, `$literal`, or an object like any other. */
export const formOf = (object: JsonObject): Form => {
  const key = RESERVED.find((reserved) => Object.hasOwn(object, reserved));
  if (key === undefined) return PLAIN;
  if (Object.keys(object).length > 1) return malformed(`${key} must be the only key of its object`);
  const value = own(object, key) ?? null;
  if (key === '$literal') return { kind: 'literal', value };
  if (typeof value !== 'string') return malformed(`${key} must be a text`);
  return key === '$from' ? fromForm(value) : textForm(value);
};

/** Every reference and every malformed object in a template, with the place it stands at. */
export type Mention = { readonly at: string } & ({ readonly reference: Reference } | { readonly problem: string });

/** Collects the mentions of a template in order; `at` is the place of the template itself. */
export const mentionsIn = (template: Template, at: string): readonly Mention[] => {
  if (isJsonArray(template)) return template.flatMap((element, index) => mentionsIn(element, `${at}[${index}]`));
  if (!isJsonObject(template)) return [];
  const form = formOf(template);
  switch (form.kind) {
    case 'plain':
      return Object.entries(template).flatMap(([key, value]) => mentionsIn(value, `${at}.${key}`));
    case 'literal':
      return [];
    case 'from':
      return [{ at, reference: form.reference }];
    case 'text':
      return form.parts.flatMap((part) => (typeof part === 'string' ? [] : [{ at, reference: part }]));
    case 'malformed':
      return [{ at, problem: form.problem }];
    default:
      return unreachable(form);
  }
};

const malformed = (problem: string): Form => ({ kind: 'malformed', problem });

const fromForm = (text: string): Form => {
  const reference = parseReference(text);
  return reference === undefined ? malformed(notAReference(text)) : { kind: 'from', reference };
};

const textForm = (text: string): Form => {
  const parts = parseText(text);
  if (parts === undefined) return malformed('a { is not closed; a brace that is meant is written {{');
  const read = parts.map((part) => ('plain' in part ? part.plain : (parseReference(part.from) ?? part)));
  const wrong = read.find((part) => typeof part === 'object' && 'from' in part);
  if (wrong !== undefined) return malformed(notAReference(wrong.from));
  return {
    kind: 'text',
    parts: read.filter((part): part is string | Reference => !(typeof part === 'object' && 'from' in part)),
  };
};

const notAReference = (text: string): string =>
  `${text} is no reference: it must begin with input, item, index, items.<id>, indexes.<id> or steps.<id>`;
