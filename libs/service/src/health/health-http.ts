import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { knownSecrets } from '@holdfast/sdk';
import type { AddressInfo } from 'node:net';
import type { Health } from './health.js';

/**
 * Answers `/health` (the process is alive) and `/ready` (200 or 503, with reasons) and hands everything else on. In front
 * of the application, so that it answers while the service still waits for Kafka.
 */
export const withHealth =
  (health: Health, about: object, next: RequestListener): RequestListener =>
  (request, response) => {
    const path = pathOf(request);
    if (request.method !== 'GET' || (path !== '/health' && path !== '/ready')) return next(request, response);
    if (path === '/health') return answer(response, 200, { status: 'alive', ...about });
    const report = health.report();
    return answer(response, report.ready ? 200 : 503, { ...about, ...report });
  };

const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?')[0] ?? '';

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${knownSecrets.mask(JSON.stringify(body))}\n`);
};

export type Listening = { readonly port: number; close(): Promise<void> };

/** Listens; rejects with a sentence on which address could not be taken. `port` 0 takes a free one. */
export const listen = (listener: RequestListener, host: string, port: number): Promise<Listening> =>
  new Promise((resolve, reject) => {
    const server = createServer(listener);
    server.once('error', (error) => reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host, () =>
      resolve({ port: (server.address() as AddressInfo).port, close: () => end(server) }),
    );
  });

const end = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
