import { InvalidTool, type SectionSurroundings, type Tool } from '@holdfast/sdk';
import { refuse, type Place } from '../place.js';
import { methods, type Method } from '../request/definition.js';
import { secretText } from '../template/text.js';
import type { ToolFields } from '../tool/definition.js';
import { httpTool, keyHeaderOf, type Around } from '../tool/http-tool.js';
import { CannotMake } from './cannot-make.js';
import type { OpenapiFields, OperationFields } from './definition.js';
import { readDocument, type MethodItem, type OpenapiDocument, type PathItem, type Server } from './document.js';
import { requestOf } from './operation.js';

type Found = { readonly path: string; readonly method: Method; readonly pathItem: PathItem; readonly item: MethodItem };

/**
 * The tools of an OpenAPI document. An operation that was named and cannot be a tool is refused; one that was not is left
 * out, and the log says why.
 */
export const openapiTools = async (
  fields: OpenapiFields,
  around: Around,
  place: Place,
  { directory, logger }: Pick<SectionSurroundings, 'directory' | 'logger'>,
): Promise<readonly Tool[]> => {
  const document = await readDocument(fields.file, directory, `${place}.file`);
  const server = serverOf(fields, document, place);
  checkCommon(fields, server, around, place);
  const all = operationsIn(document);
  const unknown = Object.keys(fields.operations).find((key) => !all.some((found) => keysOf(found).includes(key)));
  if (unknown !== undefined) {
    refuse(
      `${place}.operations.${unknown}`,
      `${fields.file} has no such operation; it has ${all.slice(0, 20).map(nameOf).join(', ')}`,
    );
  }
  return all.flatMap((found): readonly Tool[] => {
    const key = keysOf(found).find((one) => Object.hasOwn(fields.operations, one));
    if (key === undefined && fields.others === 'leave out') return [];
    const here = key === undefined ? place : `${place}.operations.${key}`;
    try {
      const own: Partial<OperationFields> = key === undefined ? {} : (fields.operations[key] ?? {});
      return [httpTool(toolFieldsOf(found, own, { fields, document, server, place: here }), around, here)];
    } catch (error) {
      if (!(error instanceof CannotMake) && (key !== undefined || !(error instanceof InvalidTool))) throw error;
      if (key !== undefined) return refuse(here, `no tool can be made of it: ${error.message}`);
      logger.warn(
        { file: fields.file, operation: nameOf(found), reason: error.message },
        'no tool was made of an operation',
      );
      return [];
    }
  });
};

const operationsIn = ({ paths }: OpenapiDocument): readonly Found[] =>
  Object.entries(paths).flatMap(([path, pathItem]) =>
    methods.flatMap((method): readonly Found[] => {
      const item = pathItem[method.toLowerCase() as 'get'];
      return item === undefined ? [] : [{ path, method, pathItem, item }];
    }),
  );

const nameOf = ({ item, method, path }: Found): string => item.operationId ?? `${method} ${path}`;
const keysOf = (found: Found): readonly string[] => [nameOf(found), `${found.method} ${found.path}`];

type Within = {
  readonly fields: OpenapiFields;
  readonly document: OpenapiDocument;
  readonly server: string;
  readonly place: Place;
};

const toolFieldsOf = (
  found: Found,
  own: Partial<OperationFields>,
  { fields, document, server, place }: Within,
): ToolFields => {
  const { method, path, item, pathItem } = found;
  const policy = own.policy ?? (method === 'GET' || method === 'HEAD' ? 'repeatable' : 'unprotected');
  const {
    path: filled,
    input,
    ...request
  } = requestOf({
    path,
    item,
    parameters: parametersOf(pathItem, item),
    schemas: document.components?.schemas ?? {},
    keyHeader: keyHeaderOf({ policy, keyHeader: own.keyHeader }, place),
  });
  const usual = item.operationId ?? `${method.toLowerCase()}${path}`;
  const {
    name = `${fields.prefix}${usual.replaceAll(/[^A-Za-z0-9_.-]+/g, '_')}`,
    timeoutMs = fields.timeoutMs,
    ...given
  } = own;
  const description = [item.summary, item.description]
    .filter((part) => part !== undefined)
    .join('\n\n')
    .slice(0, 4_096);
  return {
    ...commonOf(fields),
    ...(description === '' ? {} : { description }),
    ...given,
    name,
    timeoutMs,
    limits: { ...fields.limits, ...own.limits },
    policy,
    method,
    url: `${serverFor(found, fields, server)}${filled}`,
    ...request,
    input: input as NonNullable<ToolFields['input']>,
  };
};

/** A parameter of the operation stands for one of its path that has its name and place. */
const parametersOf = (pathItem: PathItem, item: MethodItem) => {
  const own = item.parameters ?? [];
  const shared = (pathItem.parameters ?? []).filter(
    (one) => !own.some((other) => other.name === one.name && other.in === one.in),
  );
  return [...shared, ...own];
};

/** What all tools of the document have in common; the rest is about making them. */
const commonOf = ({ version, queue, timeoutMs, auth, egress, limits, cost }: OpenapiFields) => ({
  version,
  timeoutMs,
  limits,
  answers: [],
  ...(queue === undefined ? {} : { queue }),
  ...(auth === undefined ? {} : { auth }),
  ...(egress === undefined ? {} : { egress }),
  ...(cost === undefined ? {} : { cost }),
});

/** What is wrong with that is wrong with the file, and no reason to leave an operation out. */
const checkCommon = (fields: OpenapiFields, server: string, around: Around, place: Place): void => {
  const name = `${fields.prefix}tool`;
  httpTool({ ...commonOf(fields), name, method: 'GET', policy: 'repeatable', url: `${server}/` }, around, place);
};

/** Where the API is, as the beginning of the address of a tool. */
const serverOf = (fields: OpenapiFields, { servers }: OpenapiDocument, place: Place): string => {
  const said = servers?.[0];
  const given = fields.server === undefined ? undefined : secretText(fields.server, `${place}.server`);
  const server = given ?? (said === undefined ? '' : addressOf(said));
  if (!/^https?:\/\//.test(server)) {
    const what = server === '' ? 'it has no servers' : `it says ${server}`;
    refuse(place, `${fields.file} does not say where the API is (${what}): add server: https://…`);
  }
  return written(server);
};

/** An operation, or a path, may be elsewhere than the rest; what the file says counts for all. */
const serverFor = ({ item, pathItem }: Found, fields: OpenapiFields, usual: string): string => {
  const own = (item.servers ?? pathItem.servers)?.[0];
  return own === undefined || fields.server !== undefined ? usual : written(addressOf(own));
};

/** A brace that is meant is written twice. */
const written = (server: string): string => server.replace(/\/+$/, '').replaceAll('{', '{{');

const addressOf = ({ url, variables }: Server): string =>
  url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => variables?.[name]?.default ?? whole);
