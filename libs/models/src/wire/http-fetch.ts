import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { ToolFailure } from '@holdfast/sdk';
import { UnreadableReply } from '../failures.js';

/** As much of `fetch` as the clients of endpoints need. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

const AGENT = { keepAlive: true, scheduling: 'lifo', timeout: 2_000 } as const;
const agents = { 'http:': new http.Agent(AGENT), 'https:': new https.Agent(AGENT) };
const REPLY_BYTES_MAX = 16 * 1024 * 1024;

/**
 * A `fetch` on node:http: it has no time-outs of its own, which the built-in one has and which long answers meet; it can
 * tell what was never sent from what was; and `beforeSend` is asked in the tick in which the first byte leaves.
 */
export const httpFetch =
  (beforeSend: () => void): Fetch =>
  (url, init = {}) =>
    new Promise((resolve, reject) => {
      new Exchange(beforeSend, { resolve, reject }).begin(new URL(url instanceof Request ? url.url : url), init);
    });

type Settle = { readonly resolve: (response: Response) => void; readonly reject: (error: Error) => void };

class Exchange {
  private sent = false;
  private target = '';

  constructor(
    private readonly beforeSend: () => void,
    private readonly settle: Settle,
  ) {}

  begin(url: URL, init: RequestInit): void {
    this.target = `${init.method ?? 'GET'} ${url.origin}${url.pathname}`;
    const secure = url.protocol === 'https:';
    const body = Buffer.from(typeof init.body === 'string' ? init.body : '');
    const headers = { ...Object.fromEntries(new Headers(init.headers)), 'content-length': String(body.length) };
    const options = { method: init.method ?? 'GET', headers, agent: agents[secure ? 'https:' : 'http:'] };
    const request = (secure ? https : http).request(url, options);
    const stop = (): void => void request.destroy(new Error('the call was stopped'));
    if (init.signal?.aborted === true) stop();
    init.signal?.addEventListener('abort', stop, { once: true });
    request.on('close', () => init.signal?.removeEventListener('abort', stop));
    request.on('error', (error) => this.settle.reject(this.sent ? error : this.notSent(error)));
    request.on('response', (response) => this.settle.resolve(responseOf(response)));
    request.on('socket', (socket) => {
      if (!socket.connecting) this.send(request, body);
      else socket.once(secure ? 'secureConnect' : 'connect', () => this.send(request, body));
    });
  }

  private send(request: http.ClientRequest, body: Buffer): void {
    if (request.destroyed) return;
    try {
      this.beforeSend();
    } catch (refusal) {
      this.settle.reject(refusal as Error);
      request.destroy();
      return;
    }
    this.sent = true;
    request.end(body);
  }

  private notSent(cause: NodeJS.ErrnoException): ToolFailure {
    const message = `${this.target} was not sent: ${cause.message}`;
    return new ToolFailure(message, { code: 'model_unavailable', retry: 'later', effect: 'none', cause });
  }
}

const responseOf = (message: http.IncomingMessage): Response => {
  const { statusCode: status = 0, headers: raw } = message;
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) if (value !== undefined) headers.set(name, String(value));
  const body = Readable.toWeb(Readable.from(bounded(message), { objectMode: false }));
  return new Response(status === 204 || status === 304 ? null : body, { status, headers });
};

async function* bounded(message: http.IncomingMessage): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > REPLY_BYTES_MAX) throw new UnreadableReply(`it is larger than ${REPLY_BYTES_MAX} bytes`);
    yield chunk;
  }
}
