import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import { consolePages } from './console-pages.js';
import { isLoopback, noForeigners } from './foreign.js';
import type { HttpSettings } from './http.config.js';
import { send } from './problem.filter.js';
import { ProblemError } from './problems.js';

const MINUTE_MS = 60_000;

/** Everything that comes before the routes: limits, headers, bodies, and the pages of the console. */
export const setUpHttp = (app: NestExpressApplication, settings: HttpSettings, assets: string): void => {
  app.set('trust proxy', settings.behindProxy ? 1 : false);
  app.set('query parser', 'simple');
  app.disable('x-powered-by');
  app.use(secured());
  const ownMachine = isLoopback(settings.httpHost) && !settings.behindProxy;
  app.use(noForeigners({ origins: settings.corsOrigins, ownMachine }));
  if (settings.corsOrigins.length > 0) {
    app.enableCors({
      origin: [...settings.corsOrigins],
      exposedHeaders: ['location', 'retry-after', 'ratelimit', 'ratelimit-policy'],
      maxAge: 600,
    });
  }
  if (settings.ratePerMinute > 0) app.use('/v1', limited(settings.ratePerMinute));
  app.useBodyParser('json', { limit: settings.bodyBytes, strict: false });
  app.use(consolePages(assets));
};

/** A page may load what comes from here, and nothing else. Styles are written by its components as they need them. */
const secured = (): RequestHandler =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        styleSrc: ["'self'", "'unsafe-inline'"],
        connectSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // It is spoken to over plain HTTP where nothing in front of it does better.
    strictTransportSecurity: false,
  });

const limited = (perMinute: number): RequestHandler =>
  rateLimit({
    windowMs: MINUTE_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // Whoever says to come for others without being trusted is counted as who they are.
    validate: { xForwardedForHeader: false },
    handler: (_request: Request, response: Response) => {
      const detail = `More than ${perMinute} requests in a minute came from this address.`;
      send(response, new ProblemError(429, { code: 'too_many_requests', detail }).problem);
    },
  });
