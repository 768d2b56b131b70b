import { openSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** One effect as the server saw it. */
export type Effect = {
  readonly name: string;
  readonly key: string;
  /** Of the step, as its caller says. */
  readonly attempt: number;
  /** By its own steady clock, with fractions; comparable only with each other. */
  readonly atMs: number;
  /** Epoch ms. */
  readonly at: number;
};

/**
 * Where the effects of a measurement happen: no delays, no bad manners, no idempotency. Each effect is a line in a file
 * before it is answered, and can be asked for by its key.
 */
export const createEffectServer = (ledgerFile: string): Server => {
  const ledger = openSync(ledgerFile, 'w');
  const effects: Effect[] = [];
  const byKey = new Map<string, Effect>();

  const apply = (body: string, response: ServerResponse): void => {
    const { name, key, attempt } = JSON.parse(body) as Pick<Effect, 'name' | 'key' | 'attempt'>;
    const effect = { name, key, attempt, atMs: performance.now(), at: Date.now() };
    writeSync(ledger, `${JSON.stringify({ at: effect.at, name, key })}\n`);
    effects.push(effect);
    byKey.set(key, effect);
    answer(response, { receipt: effects.length });
  };

  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://effects');
    if (request.method === 'POST') read(request, (body) => apply(body, response));
    else if (url.pathname === '/effects') answer(response, { effects });
    else answer(response, { found: byKey.get(url.searchParams.get('key') ?? '') ?? null });
  });
};

const read = (request: IncomingMessage, then: (body: string) => void): void => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => then(Buffer.concat(chunks).toString('utf8')));
};

const answer = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
