import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '@holdfast/api';
import express, { type Request, type RequestHandler, type Response } from 'express';

/** Names with a hash of their contents in them never change. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * The console's built files out of a folder, and its first page wherever a person looks who is not asking the API. Where
 * it is not built, a page that says so.
 */
export const consolePages = (folder: string): RequestHandler => {
  const files = express.static(folder, {
    index: false,
    redirect: false,
    setHeaders: (response: Response, path: string) =>
      void response.setHeader('cache-control', /[\\/]assets[\\/]/.test(path) ? FOR_EVER : 'no-cache'),
  });
  return (request, response, next) => {
    if (!isForPeople(request)) return next();
    files(request, response, (error?: unknown) => {
      if (error !== undefined) return next(error);
      if (!wantsPage(request)) return next();
      first(folder, response);
    });
  };
};

const isForPeople = ({ method, path }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && path !== routes.callMcp.path && path !== '/v1' && !path.startsWith('/v1/');

/** A file that is not there is no page. */
const wantsPage = (request: Request): boolean =>
  request.accepts(['json', 'html']) === 'html' && !/\.\w+$/.test(request.path);

const first = (folder: string, response: Response): void => {
  response.setHeader('cache-control', 'no-cache');
  const page = join(folder, 'index.html');
  if (existsSync(page)) return response.sendFile(page);
  response.status(503).type('html').send(notBuilt);
};

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Holdfast</title></head>
<body>
<h1>The console is not built</h1>
<p>The API answers under <a href="/v1/openapi.json">/v1</a>. Build the page with <code>npm run build:console</code>.</p>
</body>
</html>
`;
