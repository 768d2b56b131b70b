import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathOf, routes, type LiveEvent, type Me, type Problem, type Role, type Route } from '@holdfast/api';
import { serveAsset } from './assets.js';
import { answersOf, type Handler } from './fixture-routes.js';
import { Streams } from './streams.js';
import { fullWorld, type FixtureWorld } from './world.js';

export type Written = {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly principal: string | undefined;
};

const known: readonly Route[] = Object.values(routes);

/**
 * A gateway made of fixtures: it answers every route of the API out of a made-up world, holds each request and answer
 * against the schemas, and can be told to fail, to be slow, and to send events.
 */
export class FixtureServer {
  world: FixtureWorld = fullWorld(Date.now());
  /** Everything that was asked to be changed. */
  readonly written: Written[] = [];
  readonly streams = new Streams();
  /** Paths that answer with this problem. */
  failing: { readonly path: RegExp; readonly problem: Problem } | null = null;
  /** Roles by tokens; while it is set strangers are told nothing but how to sign in. */
  tokens: Readonly<Record<string, readonly Role[]>> | null = null;
  /** While it is set no answer is given. */
  held: Promise<void> | null = null;
  /** Requests and answers that are not what the schemas say. */
  readonly breaches: string[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => void this.take(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.streams.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  reset(world: FixtureWorld = fullWorld(Date.now())): void {
    this.world = world;
    this.written.length = 0;
    this.breaches.length = 0;
    this.failing = null;
    this.held = null;
    this.tokens = null;
  }

  emit(event: LiveEvent): void {
    this.streams.send(event);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fixture');
    if (!url.pathname.startsWith('/v1/')) return serveAsset(url.pathname, response, this.world.me.signIn.oidc?.issuer);
    if (this.held !== null) await this.held;
    if (this.failing?.path.test(url.pathname) === true) return problem(response, this.failing.problem);
    const refusal = this.refusalOf(request, url.pathname);
    if (refusal !== null) return problem(response, refusal);
    if (url.pathname.endsWith('/live')) return this.streams.open(url.pathname, request, response);
    const found = routeOf(request.method ?? 'GET', url.pathname);
    if (found === null) return problem(response, notFound(`there is no ${url.pathname}`));
    await this.answer({ ...found, url, request, response });
  }

  private async answer({ route, params, url, request, response }: Taken): Promise<void> {
    const query = this.checked(`query of ${route.id}`, route.query, queryOf(url));
    const body = route.method === 'GET' ? undefined : ((await bodyOf(request)) as Record<string, unknown>);
    if (body !== undefined) {
      if (route.id !== 'sendAgain') this.checked(`body of ${route.id}`, route.body, body);
      this.written.push({ path: url.pathname, body, principal: header(request, 'x-holdfast-principal') });
    }
    const handler: Handler | undefined = answersOf[route.id];
    const world = { ...this.world, me: this.meOf(request) };
    const answer = handler?.({ world, params, query, body: body ?? {} });
    if (answer === undefined || answer === null)
      return problem(response, notFound(`nothing is known of ${url.pathname}`));
    const schema = route.answers[200]?.body;
    this.checked(`answer of ${route.id}`, schema, answer);
    json(response, 200, answer);
  }

  private shownBy(request: IncomingMessage): string | null {
    return header(request, 'authorization')?.replace('Bearer ', '') ?? null;
  }

  private refusalOf(request: IncomingMessage, path: string): Problem | null {
    const shown = this.shownBy(request);
    if (this.tokens === null || (shown === null ? path === '/v1/me' : shown in this.tokens)) return null;
    const detail = shown === null ? 'Say who you are.' : 'The token is refused. It is not known here.';
    return { type: 'about:blank', title: 'Nobody knows who is asking', status: 401, detail, code: 'invalid_token' };
  }

  private meOf(request: IncomingMessage): Me {
    if (this.tokens === null) return this.world.me;
    const roles = this.tokens[this.shownBy(request) ?? ''];
    const principal =
      roles === undefined ? null : { id: 'oidc:ann', roles: [...roles], via: 'oidc' as const, expiresAt: null };
    return { ...this.world.me, authentication: 'required', principal };
  }

  private checked(what: string, schema: Route['body'], value: unknown): Record<string, unknown> {
    const parsed = schema?.safeParse(value);
    if (parsed?.success === false) this.breaches.push(`${what}: ${parsed.error.message}`);
    return (parsed?.data ?? value) as Record<string, unknown>;
  }
}

type Found = { readonly route: Route; readonly params: Readonly<Record<string, string>> };
type Taken = Found & { readonly url: URL; readonly request: IncomingMessage; readonly response: ServerResponse };

const routeOf = (method: string, path: string): Found | null => {
  for (const route of known) {
    if (route.method !== method) continue;
    const pattern = new RegExp(`^${pathOf(route).replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    const match = pattern.exec(path);
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { route, params: Object.fromEntries(params) as Record<string, string> };
  }
  return null;
};

const lists = new Set(['status', 'reason', 'label', 'type', 'effect']);
const queryOf = ({ searchParams }: URL): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => [
      name,
      lists.has(name) ? searchParams.getAll(name) : searchParams.get(name),
    ]),
  );

const header = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as unknown;
};

const json = (response: ServerResponse, status: number, body: unknown, type = 'application/json'): void => {
  response.writeHead(status, { 'content-type': type });
  response.end(JSON.stringify(body));
};

const problem = (response: ServerResponse, told: Problem): void =>
  json(response, told.status, told, 'application/problem+json');

const notFound = (detail: string): Problem => ({
  type: 'about:blank',
  title: 'Not found',
  status: 404,
  detail,
  code: 'not_found',
  advice: 'Check the id; runs that are older than the retention are deleted.',
});
