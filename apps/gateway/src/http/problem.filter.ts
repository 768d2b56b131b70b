import { routes, type Problem } from '@holdfast/api';
import { LOGGER, type ServiceLogger } from '@holdfast/service';
import {
  Catch,
  HttpException,
  Inject,
  NotFoundException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { LogUnavailable } from '@holdfast/log';
import { knownSecrets } from '@holdfast/sdk';
import type { Request, Response } from 'express';
import { isAway } from '../store/rows.js';
import { methodsAt } from './paths.js';
import { ProblemError, unavailable } from './problems.js';

/** Everything that is thrown leaves as `application/problem+json`; what nobody expected is logged, and not told. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: ServiceLogger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const { problem, headers } = this.problemOf(error, request);
    if (response.headersSent) return void response.end();
    send(response, problem, headers);
  }

  private problemOf(error: unknown, request: Request): ProblemError {
    if (error instanceof NotFoundException) return nowhere(request);
    const known = toldOf(error);
    if (known !== null) return known;
    if (error instanceof HttpException && error.getStatus() < 500) {
      return new ProblemError(error.getStatus(), { code: 'invalid_input', detail: error.message });
    }
    this.logger.error({ err: error, method: request.method, path: request.path }, 'a request failed');
    return new ProblemError(500, { code: 'internal', detail: 'The gateway failed; its log says why.' });
  }
}

/** What was thrown, as far as it is something to be told; null for what nobody expected. */
export const toldOf = (error: unknown): ProblemError | null =>
  error instanceof ProblemError ? error : (ofBody(error) ?? ofDatabase(error) ?? ofLog(error));

/** Writes a problem as the answer. */
export const send = (response: Response, problem: Problem, headers: Readonly<Record<string, string>> = {}): void => {
  response.status(problem.status).set({ 'cache-control': 'no-store', ...headers });
  response.type('application/problem+json').send(knownSecrets.mask(JSON.stringify(problem)));
};

const nowhere = ({ method, path }: Request): ProblemError => {
  const allowed = methodsAt(Object.values(routes), path);
  if (allowed.length === 0) {
    return new ProblemError(404, {
      code: 'unknown_route',
      detail: `There is nothing at ${path}.`,
      advice: 'GET /v1/openapi.json says what there is.',
    });
  }
  const detail = `${method} is not possible at ${path}; possible are ${allowed.join(', ')}.`;
  return new ProblemError(405, { code: 'method_not_allowed', detail }, { allow: allowed.join(', ') });
};

const LARGE = 413;

type BodyError = { readonly type?: unknown; readonly limit?: unknown; readonly status?: unknown };

/** What the reader of bodies throws, by its own types. */
const ofBody = (error: unknown): ProblemError | null => {
  const { type, status } = (error ?? {}) as BodyError;
  if (error instanceof SyntaxError && status === 400) return badJson(error.message);
  if (error instanceof HttpException && error.cause instanceof SyntaxError) return badJson(error.cause.message);
  if (error instanceof HttpException && error.getStatus() === LARGE) return tooLarge(error.cause);
  if (typeof type !== 'string' || typeof status !== 'number' || status >= 500) return null;
  if (status === LARGE) return tooLarge(error);
  const code = status === 415 ? 'unsupported_media_type' : 'bad_json';
  return new ProblemError(status, { code, detail: (error as Error).message });
};

const tooLarge = (error: unknown): ProblemError => {
  const { limit } = (error ?? {}) as BodyError;
  const most = typeof limit === 'number' ? ` It must hold at most ${limit} bytes.` : '';
  return new ProblemError(LARGE, { code: 'too_large', detail: `The body is too large.${most}` });
};

const badJson = (why: string): ProblemError =>
  new ProblemError(400, { code: 'bad_json', detail: `The body is not JSON: ${why}` });

const ofDatabase = (error: unknown): ProblemError | null =>
  isAway(error)
    ? unavailable('database_unavailable', 'The database does not answer; what is in the log is safe.')
    : null;

const ofLog = (error: unknown): ProblemError | null =>
  error instanceof LogUnavailable ? unavailable('log_unavailable', `The log does not answer: ${error.message}`) : null;
