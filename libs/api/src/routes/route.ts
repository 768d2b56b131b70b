import type { z } from 'zod';
import type { Least } from '../roles.js';

export type Method = 'GET' | 'POST' | 'PUT';

/** One answer of a route: what it says, and what its body is; without a schema it has none of ours. */
export type RouteAnswer = { readonly says: string; readonly body?: z.ZodType; readonly media?: string };

/**
 * One operation of the HTTP API, and everything that is known about it: requests are checked by it, the OpenAPI document
 * is made of it, clients take its path and its types.
 */
export type Route = {
  /** Name of the operation, once in the whole API. */
  readonly id: string;
  /** Who may use it: the least role that is needed. */
  readonly role: Least;
  readonly method: Method;
  /** With parameters in braces: `/v1/runs/{runId}`. */
  readonly path: string;
  readonly tag: 'runs' | 'steps' | 'people' | 'requests' | 'live' | 'cluster' | 'access' | 'api';
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Statuses of its problems, besides those that every route may answer. */
  readonly problems?: readonly number[];
};

export const route = <const R extends Route>(described: R): R => described;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
/** What a request to the route says, once it was checked. */
export type AskedOf<R extends Route> = {
  readonly params: Parsed<R['params']>;
  readonly query: Parsed<R['query']>;
  readonly body: Parsed<R['body']>;
};

type BodyOf<A> = A extends { readonly body: infer S extends z.ZodType } ? z.output<S> : never;
/** The body of the route's good answers. */
export type AnswerOf<R extends Route> = BodyOf<R['answers'][keyof R['answers']]>;

/** The path of a route with its parameters filled in. */
export const pathOf = ({ path }: Pick<Route, 'path'>, params: Readonly<Record<string, string | number>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
