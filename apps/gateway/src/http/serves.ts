import type { AskedOf, Route } from '@holdfast/api';
import { isLane } from '@holdfast/contracts';
import {
  applyDecorators,
  createParamDecorator,
  HttpCode,
  Injectable,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { checked, invalid } from './asked.js';
import { unauthenticated } from './auth/access-problems.js';
import { isPresentable, signedIn } from './auth/principal.js';
import { ProblemError } from './problems.js';
import { Reply } from './reply.js';

export const ROUTE = 'holdfast:route';

/** The handler of a route of the table. */
export const Serves = (route: Route): MethodDecorator =>
  applyDecorators(
    RequestMapping({
      path: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      method: RequestMethod[route.method],
    }),
    HttpCode(Math.min(...Object.keys(route.answers).map(Number))),
    SetMetadata(ROUTE, route),
  );

/** What the request says, checked by the route's schemas. */
export const Asked = createParamDecorator((_: unknown, context: ExecutionContext): AskedOf<Route> => {
  const route = Reflect.getMetadata(ROUTE, context.getHandler()) as Route;
  const request = context.switchToHttp().getRequest<Request>();
  if (route.body !== undefined) mustBeJson(request);
  return checked(route, { params: request.params, query: request.query, body: request.body as unknown });
});

const mustBeJson = (request: Request): void => {
  const length = request.headers['content-length'];
  const isEmpty = request.headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
  if (isEmpty || request.is('application/json') === 'application/json') return;
  throw new ProblemError(415, {
    code: 'unsupported_media_type',
    detail: `The body is ${request.headers['content-type'] ?? 'of no type'}; it must be application/json.`,
  });
};

/** Who asks, as the history will say it, and the id of the request where the header says it. */
export const Who = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<Request>();
  return { principal: principalOf(request), key: keyOf(request.header('idempotency-key')) };
});

/** Who asks. Where nobody is checked it is who the header says, and `api` where it says nothing; else it is not read. */
export const principalOf = (request: Request): string => {
  const principal = signedIn(request);
  if (principal === null) throw unauthenticated();
  if (principal.via !== 'anonymous') return principal.id;
  const given = textOf(request.header('x-holdfast-principal') ?? '').trim();
  if (given === '') return principal.id;
  // Coordinators believe lanes more than people: nobody else may come by the name of one.
  if (isPresentable(given) && !isLane(given)) return given;
  const message = 'must be 1 to 200 visible characters, and not the name of a lane';
  throw invalid([{ at: 'header.x-holdfast-principal', message }]);
};

/** A header comes as bytes, one a character; most who send more than ASCII mean UTF-8. */
const textOf = (header: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
};

const keyOf = (header: string | undefined): string | null => {
  // The draft of the header has it as a quoted string; most clients send it bare.
  const id = header?.trim().replace(/^"(.*)"$/, '$1');
  return id === undefined || id === '' ? null : id;
};

/** Carries out what a `Reply` says about its own status and headers. Nothing of the API is kept by caches. */
@Injectable()
export class ReplyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('cache-control', 'no-store');
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof Reply)) return answer;
        response.status(answer.status).set(answer.headers);
        return answer.body as unknown;
      }),
    );
  }
}
