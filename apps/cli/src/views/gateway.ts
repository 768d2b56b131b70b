import { pathOf, problemSchema, type AnswerOf, type Problem as Told, type Route } from '@holdfast/api';
import { z } from 'zod';
import { EXIT, Problem, type ExitCode } from '../problem.js';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export type GatewayPorts = {
  readonly url: string;
  readonly principal: string;
  /** What says who asks; null where nothing does. Read when it is needed. */
  readonly token: () => string | null;
  readonly fetch: Fetch;
};
export type Asked = {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | null>>;
  readonly body?: object;
};

/** What a gateway has answered in the place of what it was asked for. */
export class GatewayProblem extends Problem {
  constructor(
    exit: ExitCode,
    said: { readonly message: string; readonly advice: string },
    readonly told: Told,
  ) {
    super(exit, said.message, said.advice);
  }
}

/** The gateway, for what nobody else has. */
export const neededFor = (what: string, gateway: GatewayPorts | null): GatewayPorts => {
  if (gateway !== null) return gateway;
  throw new Problem(EXIT.usage, `only a gateway has ${what}`, 'Give --gateway URL, or set HOLDFAST_GATEWAY.');
};

const PATIENCE_MS = 30_000;

/** Asks a gateway one thing, and checks what it answers. Throws a `Problem` where that is none of the good answers. */
export const askGateway = async <const R extends Route>(
  ports: GatewayPorts,
  route: R,
  asked: Asked = {},
): Promise<AnswerOf<R>> => {
  const response = await send(ports, route, asked);
  const text = await response.text();
  const answer = route.answers[response.status];
  if (answer === undefined) throw problemOf(response, text, ports);
  const parsed = (answer.body ?? z.unknown()).safeParse(json(text));
  if (parsed.success) return parsed.data as AnswerOf<R>;
  const why = parsed.error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Problem(
    EXIT.unreachable,
    `the gateway at ${ports.url} answers ${route.id} in a form that is not known here: ${why.join('; ')}`,
    'Use a holdfast of the same version as the gateway.',
  );
};

const send = async (
  { url, principal, token: given, fetch }: GatewayPorts,
  route: Route,
  asked: Asked,
): Promise<Response> => {
  const whole = `${url.replace(/\/+$/, '')}${pathOf(route, asked.params)}`;
  if (!/^https?:/.test(url) || !URL.canParse(whole)) {
    throw new Problem(EXIT.usage, `${url} is no address of a gateway`, 'Give --gateway as http://host:port.');
  }
  const where = new URL(whole);
  for (const [name, value] of Object.entries(asked.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null) where.searchParams.append(name, String(one));
    }
  }
  const token = given();
  const headers = {
    accept: 'application/json',
    'x-holdfast-principal': principal,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  try {
    return await fetch(where.href, {
      method: route.method,
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: asked.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
    });
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new Problem(
      EXIT.unreachable,
      `the gateway at ${url} does not answer: ${why}`,
      'Check that it runs there and that --gateway or HOLDFAST_GATEWAY names it; without one the log itself is read.',
    );
  }
};

/** What a gateway says is wrong, in its own words. */
const problemOf = ({ status }: Response, text: string, { url }: GatewayPorts): Problem => {
  const told = problemSchema.safeParse(json(text));
  if (!told.success) {
    const what = `${url} answers ${status} and is no gateway of Holdfast, or is behind something that is none`;
    return new Problem(EXIT.unreachable, what, 'Check --gateway or HOLDFAST_GATEWAY.');
  }
  const { detail, title, advice = '', errors = [] } = told.data;
  const places = errors.map(({ at, message }) => `\n  - ${at === '' ? '' : `${at}: `}${message}`);
  const what = status === 401 ? TOKEN : advice;
  const message = `${detail === '' ? title : detail}${places.join('')}`;
  return new GatewayProblem(exitOf(status), { message, advice: what }, told.data);
};

const TOKEN = 'Set HOLDFAST_TOKEN, or name a file with the token by --token-file or HOLDFAST_TOKEN_FILE.';

const exitOf = (status: number): ExitCode => {
  if (status === 404) return EXIT.notFound;
  return status >= 400 && status < 500 && status !== 429 ? EXIT.usage : EXIT.unreachable;
};

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
