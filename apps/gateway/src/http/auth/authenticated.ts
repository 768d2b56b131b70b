import type { Logger } from '@holdfast/sdk';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf } from '../limits.js';
import { send } from '../problem.filter.js';
import { ProblemError } from '../problems.js';
import { Refused, unauthenticated } from './access-problems.js';
import { credentialIn, type Authenticator } from './authenticator.js';
import type { FailedSignIns } from './failed-sign-ins.js';
import { signIn, type Principal } from './principal.js';

export type Entrance = {
  readonly authenticator: Authenticator;
  readonly failures: FailedSignIns;
  readonly logger: Logger;
};

/**
 * Finds out who a request is from, before anything of it is read. Whoever says something that is wrong goes no further;
 * whoever says nothing may at most read what anyone may.
 */
export const authenticated =
  (entrance: Entrance): RequestHandler =>
  async (request, response, next) => {
    try {
      const principal = await whoSends(entrance, request);
      if (principal === null && !isReading(request)) throw unauthenticated();
      signIn(request, principal);
    } catch (error) {
      return refuse(entrance, error, request, response);
    }
    next();
  };

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

const whoSends = async ({ authenticator, failures }: Entrance, request: Request): Promise<Principal | null> => {
  const { authorization } = request.headers;
  if (authorization === undefined || !authenticator.required) return authenticator.whoIs(null);
  const waitMs = failures.waitFor(addressOf(request));
  if (waitMs > 0) throw tooOften(waitMs);
  return authenticator.whoIs(credentialIn(authorization));
};

const tooOften = (waitMs: number): ProblemError =>
  new ProblemError(
    429,
    { code: 'too_many_failed_sign_ins', detail: 'Too many tokens that are none came from this address.' },
    { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  );

const refuse = ({ failures, logger }: Entrance, error: unknown, request: Request, response: Response): void => {
  const address = addressOf(request);
  if (error instanceof Refused) {
    failures.note(address);
    logger.warn({ address, why: error.why, method: request.method, path: request.path }, 'a token was refused');
  }
  if (error instanceof ProblemError) return send(response, error.problem, error.headers);
  logger.error({ err: error, path: request.path }, 'nobody could be signed in');
  send(response, new ProblemError(500, { code: 'internal', detail: 'The gateway failed; its log says why.' }).problem);
};
