import type { Json, JsonSchema } from '@holdfast/programs';
import { sizeOf } from '@holdfast/yaml';
import { CannotMake } from './cannot-make.js';

type Schemas = Readonly<Record<string, unknown>>;

const OWN = /^#\/components\/schemas\/([^/]+)$/;
/** The catalogue holds the schema of every tool, and so do those who ask a model. */
const BYTES_MAX = 128 * 1024;

/**
 * A schema of OpenAPI 3.0 or 3.1 as a JSON Schema, to be used within `whole`: schemas that hold themselves stand in its
 * `$defs`. Throws `CannotMake` for references to anything but schemas of the document.
 */
export const jsonSchemaOf = (
  schema: unknown,
  schemas: Schemas,
): { readonly schema: JsonSchema; readonly defs: JsonSchema } => {
  const defs: Record<string, Json> = {};
  if (sizeOf(schema as Json) > BYTES_MAX) throw new CannotMake(`its schema is larger than ${BYTES_MAX} bytes`);
  const read = converted(schema as Json, schemas, defs) as JsonSchema;
  return { schema: read, defs };
};

const converted = (value: Json, schemas: Schemas, defs: Record<string, Json>): Json => {
  if (Array.isArray(value)) return value.map((one) => converted(one as Json, schemas, defs));
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Readonly<Record<string, Json>>;
  const { $ref } = object;
  if (typeof $ref === 'string') return { $ref: named($ref, schemas, defs) };
  const parts = Object.entries(object).map(([name, part]): [string, Json] => [
    name,
    // What users write as an example or a constant is a value, not a schema.
    VALUES.has(name) ? part : converted(part, schemas, defs),
  ]);
  return modern(Object.fromEntries(parts));
};

const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const']);

const named = (reference: string, schemas: Schemas, defs: Record<string, Json>): string => {
  const name = OWN.exec(reference)?.[1];
  const found =
    name === undefined ? undefined : schemas[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')];
  if (name === undefined || found === undefined) {
    throw new CannotMake(`${reference} is not followed; references must stay within the document`);
  }
  if (!Object.hasOwn(defs, name)) {
    // It may lead back to here, so it must be known before it is read.
    defs[name] = true;
    defs[name] = converted(found as Json, schemas, defs);
  }
  return `#/$defs/${name}`;
};

/** What OpenAPI 3.0 writes in a way of its own. A property may be called `nullable` too: then it is no boolean. */
const modern = (schema: Readonly<Record<string, Json>>): Json => {
  const bounded = bound(bound(schema, 'exclusiveMinimum', 'minimum'), 'exclusiveMaximum', 'maximum');
  if (typeof bounded['nullable'] !== 'boolean') return bounded;
  const { nullable, ...rest } = bounded;
  return nullable ? { anyOf: [rest, { type: 'null' }] } : rest;
};

const bound = (
  schema: Readonly<Record<string, Json>>,
  exclusive: string,
  plain: string,
): Readonly<Record<string, Json>> => {
  const { [exclusive]: only, [plain]: limit, ...rest } = schema;
  if (typeof only !== 'boolean') return schema;
  return limit === undefined ? rest : { ...rest, [only ? exclusive : plain]: limit };
};
