import { routes } from '@holdfast/api';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { authenticated } from './auth/authenticated.js';
import { consolePages } from './console-pages.js';
import { isLoopback, noForeigners } from './foreign.js';
import type { HttpSettings } from './http.config.js';
import { limitedByAddress, limitedByPrincipal } from './limits.js';
import { PARTS, type HttpParts } from './parts.js';

/** Where whoever asks is known and counted. */
const API = ['/v1', routes.callMcp.path];

/** Everything that comes before the routes: headers, who it is, limits, bodies, and the pages of the console. */
export const setUpHttp = (app: NestExpressApplication, settings: HttpSettings, assets: string): void => {
  const { access, logger } = app.get<HttpParts>(PARTS, { strict: false });
  app.set('trust proxy', settings.behindProxy ? 1 : false);
  app.set('query parser', 'simple');
  app.disable('x-powered-by');
  app.use(secured(access.signInOrigins), permitted);
  const ownMachine = isLoopback(settings.httpHost) && !settings.behindProxy;
  app.use(noForeigners({ origins: settings.corsOrigins, ownMachine }));
  if (settings.corsOrigins.length > 0) {
    app.enableCors({
      origin: [...settings.corsOrigins],
      exposedHeaders: ['location', 'retry-after', 'www-authenticate', 'ratelimit', 'ratelimit-policy'],
      maxAge: 600,
    });
  }
  const { addressRatePerMinute, ratePerMinute } = settings;
  if (addressRatePerMinute > 0) app.use(API, limitedByAddress(addressRatePerMinute));
  app.use(API, authenticated({ ...access, logger }));
  if (ratePerMinute > 0) app.use(API, limitedByPrincipal(ratePerMinute));
  app.useBodyParser('json', { limit: settings.bodyBytes, strict: false });
  app.use(consolePages(assets));
};

/** A page may load what comes from here, and nothing else. Styles are written by its components as they need them. */
const secured = (signInOrigins: () => readonly string[]): RequestHandler =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        styleSrc: ["'self'", "'unsafe-inline'"],
        connectSrc: ["'self'", () => signInOrigins().join(' ')],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // It is spoken to over plain HTTP where nothing in front of it does better.
    strictTransportSecurity: false,
  });

/** No page from here uses what a browser can do beside showing it. */
const permitted: RequestHandler = (_request, response, next) => {
  response.setHeader('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()');
  next();
};
