import { own } from './own.js';
import type { Json, Template } from './plan.js';
import { unreachable } from './program-error.js';
import { arrayIndex, type Reference } from './reference.js';
import { formOf, isJsonArray, isJsonObject, type JsonObject } from './template.js';

/** A value, or why there is none. */
export type Resolved = { readonly value: Json } | { readonly problem: string };

/** Finds the value a reference stands for. */
export type Look = (reference: Reference) => Resolved;

/** A template with its references replaced by their values. Parts without references are shared, not copied. */
export const resolve = (template: Template, look: Look): Resolved => {
  if (isJsonArray(template)) return resolveArray(template, look);
  if (!isJsonObject(template)) return { value: template };
  const form = formOf(template);
  switch (form.kind) {
    case 'plain':
      return resolveObject(template, look);
    case 'literal':
      return { value: form.value };
    case 'from':
      return look(form.reference);
    case 'text':
      return resolveText(form.parts, look);
    case 'malformed':
      return { problem: form.problem };
    default:
      return unreachable(form);
  }
};

/** Follows a path into a value, by own properties and array positions only. */
export const follow = (value: Json, path: readonly string[], text: string): Resolved => {
  let found: Json | undefined = value;
  for (const segment of path) {
    found = found === undefined ? undefined : entry(found, segment);
  }
  return found === undefined ? { problem: `${text} leads nowhere` } : { value: found };
};

const entry = (value: Json, segment: string): Json | undefined => {
  if (isJsonObject(value)) return own(value, segment);
  if (!isJsonArray(value)) return undefined;
  const index = arrayIndex(segment);
  return index === undefined ? undefined : value[index];
};

const resolveArray = (template: readonly Json[], look: Look): Resolved => {
  const values: Json[] = [];
  let same = true;
  for (const element of template) {
    const resolved = resolve(element, look);
    if ('problem' in resolved) return resolved;
    same &&= resolved.value === element;
    values.push(resolved.value);
  }
  return { value: same ? template : values };
};

const resolveObject = (template: JsonObject, look: Look): Resolved => {
  const entries: [string, Json][] = [];
  let same = true;
  for (const [key, element] of Object.entries(template)) {
    const resolved = resolve(element, look);
    if ('problem' in resolved) return resolved;
    same &&= resolved.value === element;
    entries.push([key, resolved.value]);
  }
  // fromEntries defines properties, so that a key `__proto__` stays a key.
  return { value: same ? template : Object.fromEntries(entries) };
};

const resolveText = (parts: readonly (string | Reference)[], look: Look): Resolved => {
  let text = '';
  for (const part of parts) {
    const resolved = typeof part === 'string' ? { value: part } : look(part);
    if ('problem' in resolved) return resolved;
    text += typeof resolved.value === 'object' ? JSON.stringify(resolved.value) : String(resolved.value);
  }
  return { value: text };
};
