/** A form out of a JSON Schema. What it does not understand is a field for JSON: every schema can be answered. */
export type Field = {
  readonly path: readonly string[];
  readonly label: string;
  readonly description: string | null;
  readonly required: boolean;
} & (
  | { readonly kind: 'text'; readonly min: number; readonly max: number | null; readonly long: boolean }
  | { readonly kind: 'number'; readonly whole: boolean; readonly min: number | null; readonly max: number | null }
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
  | { readonly kind: 'yes_no' }
  | { readonly kind: 'json' }
);
export type Option = { readonly key: string; readonly label: string; readonly value: unknown };

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const DEPTH_MAX = 4;
const LONG = 120;

/** The fields of a form whose answers fit the schema; objects are taken apart as deep as people can follow. */
export const fieldsOf = (schema: unknown): readonly Field[] => fieldsIn(schema, [], { label: 'Value', required: true });

type Place = { readonly label: string; readonly required: boolean };

const fieldsIn = (schema: unknown, path: readonly string[], place: Place): readonly Field[] => {
  const { properties } = isSchema(schema) ? schema : {};
  if (!isSchema(schema) || !isSchema(properties) || !isPlainObject(schema) || path.length >= DEPTH_MAX) {
    return [fieldOf(isSchema(schema) ? schema : {}, path, place)];
  }
  const needed: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).flatMap(([name, inner]) => {
    const label = path.length === 0 ? name : `${place.label}.${name}`;
    return fieldsIn(inner, [...path, name], { label, required: place.required && needed.includes(name) });
  });
};

/** An object without anything that a form of fields could not answer. */
const isPlainObject = (schema: Schema): boolean =>
  schema['type'] === 'object' && !['oneOf', 'anyOf', 'allOf', 'if', 'not'].some((word) => word in schema);

const fieldOf = (schema: Schema, path: readonly string[], { label, required }: Place): Field => {
  const base = { path, label: text(schema['title']) ?? label, description: text(schema['description']), required };
  if (Array.isArray(schema['enum'])) return { ...base, kind: 'choice', options: schema['enum'].map(optionOf) };
  if ('const' in schema) return { ...base, kind: 'choice', options: [optionOf(schema['const'])] };
  switch (schema['type']) {
    case 'string': {
      const max = number(schema['maxLength']);
      return { ...base, kind: 'text', min: number(schema['minLength']) ?? 0, max, long: max === null || max > LONG };
    }
    case 'integer':
    case 'number':
      return {
        ...base,
        kind: 'number',
        whole: schema['type'] === 'integer',
        min: number(schema['minimum']),
        max: number(schema['maximum']),
      };
    case 'boolean':
      return { ...base, kind: 'yes_no' };
    default:
      return { ...base, kind: 'json' };
  }
};

const optionOf = (value: unknown): Option => {
  const key = JSON.stringify(value);
  return { key, label: typeof value === 'string' ? value : key, value };
};
