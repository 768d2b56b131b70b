import { existsSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { repositoryRoot } from '@holdfast/dev';

export const consoleDist = join(repositoryRoot, 'apps', 'console', 'dist');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** As strict as a gateway may be: the page must work under it. It speaks with its own origin, and with its issuer. */
const policyWith = (issuer: string): string =>
  `default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self' ${issuer}; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`;

/** A built file, or the page itself for every address that is none. */
export const serveAsset = (path: string, response: ServerResponse, issuer = ''): void => {
  const wanted = join(consoleDist, normalize(path));
  const file = existsSync(wanted) && statSync(wanted).isFile() ? wanted : join(consoleDist, 'index.html');
  response.writeHead(200, {
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': policyWith(issuer),
  });
  response.end(readFileSync(file));
};
