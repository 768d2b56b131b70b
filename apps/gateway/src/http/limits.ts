import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { signedIn } from './auth/principal.js';
import { send } from './problem.filter.js';
import { ProblemError } from './problems.js';

const MINUTE_MS = 60_000;

/** Where a request comes from. Of IPv6 addresses only the part that a network is given counts. */
export const addressOf = ({ ip }: Request): string => ipKeyGenerator(ip ?? 'nowhere');

/** Whom a request counts for: whoever is known, else the address. */
const whoOf = (request: Request): string => {
  const principal = signedIn(request);
  return principal === null || principal.via === 'anonymous' ? addressOf(request) : principal.id;
};

type Limit = { readonly perMinute: number; readonly from: string; readonly keyOf: (request: Request) => string };

/** At most so many requests of one address, whoever sends them. */
export const limitedByAddress = (perMinute: number): RequestHandler =>
  limited({ perMinute, from: 'this address', keyOf: addressOf });

/** At most so many requests of one principal, wherever they come from. */
export const limitedByPrincipal = (perMinute: number): RequestHandler =>
  limited({ perMinute, from: 'you', keyOf: whoOf });

const limited = ({ perMinute, from, keyOf }: Limit): RequestHandler =>
  rateLimit({
    windowMs: MINUTE_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: keyOf,
    // Whoever says to come for others without being trusted is counted as who they are.
    validate: { xForwardedForHeader: false },
    handler: (_request: Request, response: Response) => {
      const detail = `More than ${perMinute} requests in a minute came from ${from}.`;
      send(response, new ProblemError(429, { code: 'too_many_requests', detail }).problem);
    },
  });
