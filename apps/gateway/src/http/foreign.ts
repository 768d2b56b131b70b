import { routes } from '@holdfast/api';
import type { Request, RequestHandler } from 'express';
import { send } from './problem.filter.js';
import { ProblemError } from './problems.js';

/** Where a gateway is that only its own machine may ask. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
export const isLoopback = (host: string): boolean => LOOPBACK.test(host) || host === '::1';

export type Known = {
  /** Pages of these origins may use the API. */
  readonly origins: readonly string[];
  /** It listens for its own machine alone: nobody comes to it under another name. */
  readonly ownMachine: boolean;
};

/**
 * Keeps out what other people's pages send without being let in. Where nobody has to sign in, being able to reach the
 * gateway is all that it takes, and a browser on the same machine can reach it for any page that it shows: by a request
 * that needs no leave, or under a name that was made to lead here. Nobody is ever known by a cookie, so that where people
 * sign in no page of others can act for them.
 */
export const noForeigners =
  ({ origins, ownMachine }: Known): RequestHandler =>
  (request, response, next) => {
    const host = request.headers.host ?? '';
    if (ownMachine && !LOOPBACK.test(host.replace(/:\d+$/, ''))) {
      const detail = `This gateway is asked under the name ${host}, but listens for its own machine alone.`;
      return send(response, new ProblemError(403, { code: 'foreign_host', detail, advice: HOST }).problem);
    }
    if (isForeign(request, host, origins)) {
      const detail = `A page of ${request.headers.origin ?? 'another origin'} may change nothing here.`;
      return send(response, new ProblemError(403, { code: 'foreign_origin', detail, advice: ORIGIN }).problem);
    }
    next();
  };

const HOST =
  'Set HOLDFAST_HTTP_HOST where others are to reach it, or HOLDFAST_BEHIND_PROXY where something is in front.';
const ORIGIN = 'HOLDFAST_CORS_ORIGINS names the origins whose pages may.';

/** Whether a browser sends it for a page of somebody else. What is no browser says nothing about origins. */
const isForeign = ({ method, headers, path }: Request, host: string, origins: readonly string[]): boolean => {
  // The Model Context Protocol wants origins checked whatever is sent; elsewhere reading is for browsers to keep.
  const only = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (only && path !== routes.callMcp.path) return false;
  const { origin } = headers;
  if (origin !== undefined) return !origins.includes(origin) && hostOf(origin) !== host;
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
};

const hostOf = (origin: string): string => (URL.canParse(origin) ? new URL(origin).host : '');
