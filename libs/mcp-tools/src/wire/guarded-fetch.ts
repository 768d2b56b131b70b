import http from 'node:http';
import https from 'node:https';
import { Readable, Transform } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { scopeNow, type CallScope } from './call-scope.js';

// Servers close idle sockets after 5 s and more; one that is closed just as it is used again leaves an effect unknown.
const AGENT = { keepAlive: true, scheduling: 'lifo', timeout: 2_000 } as const;
const agents = { 'http:': new http.Agent(AGENT), 'https:': new https.Agent(AGENT) };
const READ_MS = 250;
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` for the SDK's HTTP transport: one request, no retries, at most `bytesMax` of an answer that is
 * no stream of events and of each part of one. For a call of a tool it asks the guard in the tick in which the first byte
 * leaves, notes that it has left, and closes the socket when the call is given up.
 */
export const guardedFetch =
  (bytesMax: number): FetchLike =>
  (url, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      const scope = scopeNow();
      const at = new URL(url);
      const signals = [init.signal, scope?.signal].filter((signal) => signal !== undefined && signal !== null);
      const request = (at.protocol === 'https:' ? https : http).request(at, {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        agent: agents[at.protocol === 'https:' ? 'https:' : 'http:'],
        signal: AbortSignal.any(signals),
      });
      request.on('error', reject);
      request.on('response', (message) => resolve(responseOf(message, bytesMax, scope)));
      request.on('socket', (socket) => {
        if (!socket.connecting) sendNow(request, init.body, scope);
        else {
          const ready = at.protocol === 'https:' ? 'secureConnect' : 'connect';
          socket.once(ready, () => sendNow(request, init.body, scope));
        }
      });
    });

const sendNow = (request: http.ClientRequest, body: RequestInit['body'], scope: CallScope | undefined): void => {
  if (request.destroyed) return;
  try {
    scope?.guard();
  } catch (refused) {
    request.destroy(refused as Error);
    return;
  }
  if (scope !== undefined) scope.sent = true;
  request.end(typeof body === 'string' ? body : undefined);
};

const responseOf = (message: http.IncomingMessage, bytesMax: number, scope: CallScope | undefined): Response => {
  const status = message.statusCode ?? 500;
  if (scope !== undefined && status >= 400) scope.status = status;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  if (BODILESS.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  const events = /^text\/event-stream/i.test(message.headers['content-type'] ?? '');
  const bounded = message.pipe(events ? eventsOf(bytesMax) : wholeOf(bytesMax));
  message.once('error', (error) => bounded.destroy(error));
  bounded.once('close', () => {
    message.destroy();
    const reason = bounded.errored?.message ?? 'its answer ended before there was one';
    // What was read last is still on its way to whoever waits for it.
    if (events) setTimeout(() => scope?.closed?.(reason), READ_MS).unref();
  });
  return new Response(Readable.toWeb(bounded) as ReadableStream, { status, headers });
};

const wholeOf = (bytesMax: number): Transform => {
  let bytes = 0;
  return bounding((chunk) => {
    bytes += chunk.length;
    return bytes <= bytesMax ? null : bytes;
  }, bytesMax);
};

const BLANK = /\r\n\r\n|\n\n|\r\r/g;

/** Of a stream that may last for ever each event counts by itself. An event ends with an empty line. */
const eventsOf = (bytesMax: number): Transform => {
  let bytes = 0;
  let before = '';
  return bounding((chunk) => {
    // An empty line may come in two parts.
    const text = before + chunk.toString('latin1');
    before = text.slice(-3);
    const last = [...text.matchAll(BLANK)].at(-1);
    bytes = last === undefined ? bytes + chunk.length : text.length - last.index;
    return bytes <= bytesMax ? null : bytes;
  }, bytesMax);
};

const bounding = (over: (chunk: Buffer) => number | null, bytesMax: number): Transform =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      const bytes = over(chunk);
      if (bytes === null) done(null, chunk);
      else done(new AnswerTooLarge(bytes, bytesMax));
    },
  });

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  constructor(bytes: number, most: number) {
    super(`answered with more than it may: ${bytes} bytes were read, and answerBytes is ${most}`);
  }
}
