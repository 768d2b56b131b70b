import { join } from 'node:path';
import { pathOf, problemSchema, type AnswerOf, type Problem, type Route } from '@holdfast/api';
import { serviceEnv } from '@holdfast/chaos';
import { eventually, serviceProgram } from '@holdfast/dev';
import { Member } from './member.js';
import type { World } from './world.js';

type Value = string | number | boolean;
/** What is asked of a route. */
export type Asked = {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, Value | readonly Value[]>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};
type Answered = { readonly status: number; readonly headers: Headers; readonly body: unknown };

const LONG_MS = 60_000;

/** A gateway in a process of its own, spoken to over HTTP as clients do. */
export class Gateway {
  readonly member: Member;

  constructor(world: World, databaseUrl: string, env: Readonly<Record<string, string>> = {}, name = 'gateway-1') {
    const { brokers, lanes = 4, partitions = 4 } = world.options;
    const place = { name, brokers, namespace: world.namespace, lanes, queues: { default: partitions }, tools: [] };
    this.member = new Member({
      name,
      main: serviceProgram('gateway'),
      logFile: join(world.folder, `${name}.log`),
      env: { ...serviceEnv({ kind: 'executor', ...place }), DATABASE_URL: databaseUrl, ...env },
    });
  }

  static async open(...given: ConstructorParameters<typeof Gateway>): Promise<Gateway> {
    const gateway = new Gateway(...given);
    await gateway.member.start();
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${this.member.port}`;
  }

  /** Whatever is answered. */
  async ask(route: Route, { params = {}, query = {}, body, headers = {} }: Asked = {}): Promise<Answered> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    );
    const search = new URLSearchParams(given).toString();
    const url = `${this.url}${pathOf(route, params)}${search === '' ? '' : `?${search}`}`;
    const response = await fetch(url, {
      method: route.method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** The answer of a route, which must be a good one and what the route promises. */
  async get<const R extends Route>(route: R, asked: Asked = {}): Promise<AnswerOf<R>> {
    const { status, body } = await this.ask(route, asked);
    const promised = (route as Route).answers[status]?.body;
    if (promised === undefined || status >= 300) throw new Error(`${route.id}: ${status} ${JSON.stringify(body)}`);
    return promised.parse(body) as AnswerOf<R>;
  }

  /** The problem that a route answers. */
  async problem(route: Route, asked: Asked = {}): Promise<Problem> {
    const { headers, body } = await this.ask(route, asked);
    if (headers.get('content-type')?.startsWith('application/problem+json') !== true) {
      throw new Error(`${route.id}: no problem but ${JSON.stringify(body)}`);
    }
    return problemSchema.parse(body);
  }

  /** Asks until what is answered is what is waited for. */
  async until<const R extends Route>(
    route: R,
    asked: Asked,
    isSo: (answer: AnswerOf<R>) => boolean,
  ): Promise<AnswerOf<R>> {
    let last: AnswerOf<R> | undefined;
    const said = async (): Promise<boolean> => {
      const { status, body } = await this.ask(route, asked);
      if (status !== 200) return false;
      last = body as AnswerOf<R>;
      return isSo(last);
    };
    await eventually(
      `${route.id} ${JSON.stringify(asked)}; the gateway's log: ${this.member.plan.logFile}`,
      said,
      LONG_MS,
    );
    return last as AnswerOf<R>;
  }

  /** All entries of a list, page by page. */
  async all<T>(route: Route, asked: Asked = {}, limit = 50): Promise<readonly T[]> {
    const items: T[] = [];
    let cursor: string | null = null;
    do {
      const query: Asked['query'] = { ...asked.query, limit, ...(cursor === null ? {} : { cursor }) };
      const page = (await this.get(route, { ...asked, query })) as { items: T[]; next: string | null };
      items.push(...page.items);
      cursor = page.next;
    } while (cursor !== null);
    return items;
  }
}
