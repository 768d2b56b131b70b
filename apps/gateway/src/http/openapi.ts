import { routes, type Route, type RouteAnswer } from '@holdfast/api';
import { jsonSchema } from '@holdfast/events';
import { z } from 'zod';
import { named } from './named.js';

type Json = Readonly<Record<string, unknown>>;

/** Every route may answer these. */
const always = [400, 401, 403, 429, 500];

const headers: Readonly<Record<string, Json>> = {
  principal: header(
    'X-Holdfast-Principal',
    'Who asks, where nobody is checked; kept in the history. `api` where it is not said.',
    200,
  ),
  key: header(
    'Idempotency-Key',
    'The `requestId`, where the body does not say it: the same id is the same request.',
    180,
  ),
  last: header('Last-Event-ID', 'Goes on after the event with this id.', 4_000),
};

function header(name: string, description: string, maxLength: number): Json {
  return { name, in: 'header', description, schema: { type: 'string', maxLength } };
}

const tags: Readonly<Record<Route['tag'], string>> = {
  requests: 'What changes something: every request goes into the log, and is done once however often it is sent',
  runs: 'Runs, their history and their state at any event',
  steps: 'Steps, attempts, effects and doubts',
  people: 'What people are asked',
  live: 'Server-sent events',
  cluster: 'Executors, lanes, dead letters, projections, health',
  access: 'Who is asking, and the tokens by which programs do',
  api: 'About the API itself',
};

/** The OpenAPI 3.1 document of the table of routes. */
export const openApi = (version: string): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Holdfast',
    version,
    summary: 'Runs, what they did to the world, and what keeps them',
    description:
      'Whatever goes wrong is answered as `application/problem+json` (RFC 9457) with a stable `code`. Times are epoch ' +
      'milliseconds. Lists come in pages: `next` is the `cursor` of the next one, null on the last.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: paths(),
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An API token, or a JWT of the issuer that is set up.' },
    },
    schemas: components(),
  },
});

const paths = (): Json => {
  const all: Record<string, Record<string, Json>> = {};
  for (const route of Object.values(routes) as readonly Route[]) {
    all[route.path] = { ...all[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return all;
};

const operation = (route: Route): Json => ({
  operationId: route.id,
  tags: [route.tag],
  summary: route.summary,
  'x-holdfast-role': route.role,
  // A gateway that checks nobody asks for nothing.
  security: route.role === 'anyone' ? [] : [{ bearer: [] }, {}],
  ...(route.description === undefined ? {} : { description: route.description }),
  parameters: parametersOf(route),
  ...(route.body === undefined ? {} : { requestBody: { required: true, content: json(refTo(nameOf(route, 'Body'))) } }),
  responses: {
    ...Object.fromEntries(
      Object.entries(route.answers).map(([status, answer]) => [status, response(answer, nameOf(route, 'Answer'))]),
    ),
    ...Object.fromEntries(problemsOf(route).map((status) => [status, problem()])),
  },
});

const problem = () => ({
  description: 'A problem',
  content: { 'application/problem+json': { schema: refTo('Problem') } },
});

const problemsOf = (route: Route): readonly number[] =>
  [...new Set([...always, ...(route.problems ?? [])])]
    .filter((status) => !Object.hasOwn(route.answers, status))
    .filter((status) => route.role !== 'anyone' || status !== 403)
    .sort((a, b) => a - b);

const response = ({ says, body, media = 'application/json' }: RouteAnswer, fallback: string): Json => ({
  description: says,
  ...(body === undefined ? {} : { content: { [media]: { schema: refTo(namesOf.get(body) ?? fallback) } } }),
});

const namesOf = new Map<z.core.$ZodType, string>(Object.entries(named).map(([name, schema]) => [schema, name]));

/** A schema that only one route has is called after it. */
const nameOf = ({ id }: Route, what: 'Body' | 'Answer'): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}${what}`;

const json = (schema: Json): Json => ({ 'application/json': { schema } });
const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const parametersOf = (route: Route): readonly Json[] => [
  ...fields(route.params, 'path'),
  ...fields(route.query, 'query'),
  ...(route.method === 'GET' ? [] : [headers['principal'] ?? {}]),
  ...(route.tag === 'requests' ? [headers['key'] ?? {}] : []),
  ...(route.tag === 'live' ? [headers['last'] ?? {}] : []),
];

const fields = (schema: z.ZodObject | undefined, place: 'path' | 'query'): readonly Json[] => {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = plain(z.toJSONSchema(schema, { io: 'input' }));
  return Object.entries(properties as Record<string, Json>).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || (required as readonly string[]).includes(name),
    schema: field,
    ...(field['type'] === 'array' ? { style: 'form', explode: true } : {}),
  }));
};

/** Schemas of bodies as they are sent, and of answers as they are got. */
const components = (): Json => {
  const bodies = z.registry<{ id: string }>().add(jsonSchema, { id: 'Json' });
  const answers = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) answers.add(schema, { id });
  for (const route of Object.values(routes) as readonly Route[]) {
    if (route.body !== undefined) bodies.add(own(route.body), { id: nameOf(route, 'Body') });
    for (const { body } of Object.values(route.answers)) {
      if (body !== undefined && !namesOf.has(body)) answers.add(body, { id: nameOf(route, 'Answer') });
    }
  }
  const both = { ...schemasOf(bodies, 'input'), ...schemasOf(answers, 'output') };
  return Object.fromEntries(Object.entries(both).sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** Two routes may take the same body, each under its own name. */
const own = <S extends z.ZodType>(schema: S): S => schema.clone() as S;

const schemasOf = (registry: z.core.$ZodRegistry<{ id: string }>, io: 'input' | 'output'): Json => {
  const { schemas } = z.toJSONSchema(registry, { io, override: open, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plain(schema as Json)]));
};

/** Later versions may say more in an answer. */
const open = ({
  zodSchema,
  jsonSchema: made,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: Record<string, unknown>;
}): void => {
  const { type, catchall } = (zodSchema as unknown as z.ZodType).def as {
    readonly type: string;
    readonly catchall?: unknown;
  };
  if (type === 'object' && catchall === undefined) delete made['additionalProperties'];
};

/** Without what is said by the place in the document. */
const plain = ({ $schema: _schema, $id: _id, ...schema }: Json): Json => schema;
