import type { Json, JsonSchema } from '@holdfast/programs';
import type { RequestFields } from '../request/definition.js';
import { CannotMake } from './cannot-make.js';
import type { MethodItem, Parameter } from './document.js';
import { jsonSchemaOf } from './schema.js';

export type Operation = {
  readonly path: string;
  readonly item: MethodItem;
  /** Those of the path, and those of the operation, which count where both are there. */
  readonly parameters: readonly Parameter[];
  readonly schemas: Readonly<Record<string, unknown>>;
  /** A header that is sent by the policy and so is no argument. */
  readonly keyHeader: string | null;
};

/** What a request of an operation is made of, and the arguments that it takes. */
export type OperationRequest = Pick<RequestFields, 'query' | 'headers' | 'body'> & {
  readonly path: string;
  readonly input: JsonSchema;
};

type From = { $from: string };
type Argument = {
  readonly name: string;
  readonly required: boolean;
  readonly schema: unknown;
  readonly description?: string;
};

// These belong to whoever sends: the body says its own type.
const OWN_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** Throws `CannotMake` where a request cannot be made as the document asks for it. */
export const requestOf = (operation: Operation): OperationRequest => {
  const parameters = operation.parameters.filter((parameter) => isArgument(parameter, operation.keyHeader));
  const named = parameters.map((parameter) => ({ parameter, argument: argumentOf(parameter) }));
  const body = bodyOf(operation, new Set(named.map(({ argument }) => argument.name)));
  const inside = (place: Parameter['in']): Record<string, From> =>
    Object.fromEntries(
      named
        .filter(({ parameter }) => parameter.in === place)
        .map(({ parameter, argument }) => [parameter.name, { $from: `args.${argument.name}` }]),
    );
  return {
    path: pathOf(operation.path, named),
    query: inside('query'),
    headers: { Accept: 'application/json, */*;q=0.5', ...inside('header') },
    ...(body === null ? {} : { body: body.fields }),
    input: inputOf(
      [...named.map(({ argument }) => argument), ...(body === null ? [] : [body.argument])],
      operation.schemas,
    ),
  };
};

const isArgument = (parameter: Parameter, keyHeader: string | null): boolean => {
  const name = parameter.name.toLowerCase();
  if (parameter.in === 'header') return !OWN_HEADERS.has(name) && name !== keyHeader?.toLowerCase();
  if (parameter.in !== 'cookie') return true;
  if (parameter.required === true)
    throw new CannotMake(`it needs the cookie ${parameter.name}, and cookies are not sent`);
  return false;
};

const argumentOf = (parameter: Parameter): Argument => {
  const { name, schema = {}, description } = parameter;
  mustBeWritten(parameter);
  return {
    name: argumentName(name),
    required: parameter.in === 'path' || parameter.required === true,
    schema,
    ...(description === undefined ? {} : { description }),
  };
};

const argumentName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]+/g, '_');

/** Texts, numbers and truth values can be written anywhere; lists in a query, each entry by itself. */
const mustBeWritten = (parameter: Parameter): void => {
  const { name, schema, style, explode } = parameter;
  if (parameter['content'] !== undefined) throw new CannotMake(`its parameter ${name} is written by a content type`);
  const type = schema?.['type'];
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes('object')) throw new CannotMake(`its parameter ${name} is an object`);
  if (!types.includes('array')) return;
  const isExploded = parameter.in === 'query' && (style ?? 'form') === 'form' && explode !== false;
  if (!isExploded)
    throw new CannotMake(`its parameter ${name} is a list that is not written as one parameter for each entry`);
};

type Named = readonly { readonly parameter: Parameter; readonly argument: Argument }[];

const pathOf = (path: string, named: Named): string =>
  path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const found = named.find(({ parameter }) => parameter.in === 'path' && parameter.name === name);
    if (found === undefined) throw new CannotMake(`its path has {${name}}, and no parameter is called so`);
    return `{args.${found.argument.name}}`;
  });

type Body = { readonly argument: Argument; readonly fields: NonNullable<RequestFields['body']> };

const bodyOf = ({ item }: Operation, taken: ReadonlySet<string>): Body | null => {
  const { requestBody } = item;
  if (requestBody === undefined) return null;
  const name = taken.has('body') ? 'requestBody' : 'body';
  const required = requestBody.required === true;
  const contents = Object.entries(requestBody.content);
  const json = contents.find(([type]) => /[/+]json\s*(?:;|$)/i.test(type));
  if (json !== undefined) {
    const [, { schema = {} }] = json;
    return { argument: { name, required, schema }, fields: { json: { $from: `args.${name}` } } };
  }
  const form = contents.find(([type]) => /^application\/x-www-form-urlencoded/i.test(type));
  if (form === undefined) {
    throw new CannotMake(
      `its body is ${contents.map(([type]) => type).join(' or ') || 'of no type'}, not JSON or a form`,
    );
  }
  const schema = form[1].schema ?? {};
  return { argument: { name, required, schema }, fields: { form: formOf(schema, name) } };
};

const formOf = (schema: Readonly<Record<string, unknown>>, argument: string): Record<string, From> => {
  const { properties } = schema;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const odd = names.find((name) => argumentName(name) !== name);
  if (names.length === 0 || odd !== undefined)
    throw new CannotMake(`the fields of its form cannot be told${odd === undefined ? '' : `: ${odd}`}`);
  return Object.fromEntries(names.map((name) => [name, { $from: `args.${argument}.${name}` }]));
};

const inputOf = (args: readonly Argument[], schemas: Operation['schemas']): JsonSchema => {
  const twice = args.find(({ name }, index) => args.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw new CannotMake(`two of its parameters are called ${twice.name}`);
  const read = args.map(({ name, schema, description }) => {
    const { schema: own, defs } = jsonSchemaOf(schema, schemas);
    return {
      name,
      defs,
      schema: description === undefined || own['description'] !== undefined ? own : { ...own, description },
    };
  });
  const required = args.filter((argument) => argument.required).map(({ name }) => name);
  const defs = Object.assign({}, ...read.map((one) => one.defs)) as Record<string, Json>;
  return {
    type: 'object',
    properties: Object.fromEntries(read.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  };
};
