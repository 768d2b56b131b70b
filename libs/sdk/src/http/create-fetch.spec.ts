import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GuardRefused, ToolFailure, type GuardReason } from '../tool/tool-failure.js';
import { createFetch } from './create-fetch.js';
import { EffectLedger } from './effect-ledger.js';
import { HttpError, type ToolRequest } from './http.js';
import { classify } from '../tool/classify.js';
import { retryAfterMs } from './statuses.js';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let handler: Handler;
let server: Server;
let origin: string;
const seen: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push(`${request.method} ${request.url}`);
      handler(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
  handler = (_, response, body) => void response.end(body);
});

type Setting = {
  refusal?: () => GuardReason | null;
  signal?: AbortSignal;
  ms?: number;
  ledger?: EffectLedger;
  traceparent?: string;
};

const send = (path: string, request?: ToolRequest, setting: Setting = {}) => {
  const ledger = setting.ledger ?? new EffectLedger(setting.refusal ?? (() => null));
  const deadline = Date.now() + (setting.ms ?? 2_000);
  const signal = setting.signal ?? new AbortController().signal;
  const { traceparent } = setting;
  const fetch = createFetch({ signal, deadline, ledger, now: () => Date.now(), traceparent });
  return fetch(path.startsWith('/') ? origin + path : path, request);
};
const failing = async (sent: Promise<unknown>): Promise<Error> => {
  const error: unknown = await sent.then(
    () => new Error('it was answered'),
    (rejected: unknown) => rejected,
  );
  return error as Error;
};
const status =
  (code: number): Handler =>
  (_, response) => {
    response.statusCode = code;
    response.end('sorry');
  };

describe('a request of a call that is traced', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const told = async (request: ToolRequest, setting: Setting): Promise<unknown> => {
    handler = ({ headers }, response) => void response.end(JSON.stringify(headers['traceparent'] ?? null));
    return (await send('/', request, setting)).json();
  };

  it('says where it stands, unless the tool says it itself', async () => {
    expect(await told({}, { traceparent })).toBe(traceparent);
    expect(await told({ headers: { Traceparent: 'own' } }, { traceparent })).toBe('own');
    expect(await told({}, {})).toBeNull();
  });
});

describe('sending a request', () => {
  it('gives every answer to a tool that judges them all by itself', async () => {
    handler = status(503);
    expect(await send('/', { method: 'POST', accept: 'any' })).toMatchObject({ status: 503, ok: false });
  });

  it('is done once, also over a connection that the server closes instead of an answer', async () => {
    await send('/first');
    handler = (_, response) => void response.destroy();
    const error = await failing(send('/second', { method: 'POST', body: 'x' }));
    expect(error).toBeInstanceOf(HttpError);
    expect(seen).toStrictEqual(['GET /first', 'POST /second']);
  });

  it('gives status, headers and body', async () => {
    handler = (request, response, body) => {
      response.setHeader('x-type', request.headers['content-type'] ?? '');
      response.end(body);
    };
    const response = await send('/echo', { json: { ok: true }, headers: { 'Idempotency-Key': 'k' } });
    expect(response).toMatchObject({ status: 200, ok: true, headers: { 'x-type': 'application/json' } });
    expect(await response.json()).toStrictEqual({ ok: true });
    expect(seen).toStrictEqual(['POST /echo']);
  });

  it('asks the guard right before the first byte, and sends nothing when it refuses', async () => {
    let asked = 0;
    const refusal = () => (++asked > 1 ? 'lease' : null);
    const ledger = new EffectLedger(refusal);
    await send('/one', { body: 'x' }, { ledger });
    const refused = await failing(send('/two', { body: 'x' }, { ledger }));
    expect(refused).toBeInstanceOf(GuardRefused);
    expect(refused).toMatchObject({ reason: 'lease', effect: 'unknown' });
    expect(seen).toStrictEqual(['POST /one']);
  });

  it('sends nothing for a call that is over before the connection is there', async () => {
    const ledger = new EffectLedger(() => null);
    const sent = failing(send('/late', { body: 'x' }, { ledger }));
    ledger.close();
    expect(await sent).toMatchObject({ reason: 'stopping', effect: 'none' });
    expect(seen).toStrictEqual([]);
  });

  it('knows that nothing was sent where nobody listens', async () => {
    const error = await failing(send('http://127.0.0.1:1/', { body: 'x' }));
    expect(error).toBeInstanceOf(ToolFailure);
    expect(error).toMatchObject({ code: 'ECONNREFUSED', retry: 'later', effect: 'none' });
  });

  it('does not say none where an earlier request of the call was sent', async () => {
    const ledger = new EffectLedger(() => null);
    await send('/read', {}, { ledger });
    expect(await failing(send('http://127.0.0.1:1/', { body: 'x' }, { ledger }))).toMatchObject({ effect: 'none' });
    await send('/write', { body: 'x' }, { ledger });
    expect(await failing(send('http://127.0.0.1:1/', { body: 'x' }, { ledger }))).toMatchObject({ effect: 'unknown' });
  });

  it.each([
    ['ftp://127.0.0.1/', {}],
    ['nonsense', {}],
    ['/both', { json: 1, body: 'x' }],
  ])('refuses %s as never to be sent', async (url, request) =>
    expect(await failing(send(url, request))).toMatchObject({
      code: 'invalid_request',
      retry: 'never',
      effect: 'none',
    }),
  );
});

describe('a request that was sent', () => {
  it('leaves its effect unknown when the connection breaks', async () => {
    handler = (request) => request.socket.destroy();
    const error = await failing(send('/break', { body: 'x' }));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  it('is given up at the deadline, and its socket is closed', async () => {
    let closed = (): void => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    handler = (request) => void request.socket.once('close', closed);
    expect(await failing(send('/slow', { body: 'x' }, { ms: 50 }))).toMatchObject({ code: 'timeout' });
    await gone;
  });

  it('is given up when the call is stopped', async () => {
    const abort = new AbortController();
    handler = () => abort.abort();
    expect(await failing(send('/stop', { body: 'x' }, { signal: abort.signal }))).toMatchObject({ code: 'aborted' });
    expect(await failing(send('/stop', { body: 'x' }, { signal: abort.signal }))).toBeInstanceOf(ToolFailure);
  });

  it.each([500, 503, 404, 409, 302])('is unknown when it is answered with %i', async (code) => {
    handler = status(code);
    const error = await failing(send('/x', { body: 'x' }));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: `http_${code}`, status: code });
  });

  it.each([
    [404, 'never'],
    [429, 'later'],
  ])('changed nothing where the server promises it for %i', async (code, retry) => {
    handler = status(code);
    const request = { body: 'x', clientErrorsChangeNothing: true };
    const ledger = new EffectLedger(() => null);
    expect(await failing(send('/x', request, { ledger }))).toMatchObject({ retry, effect: 'none' });
    await failing(send('/x', { body: 'x' }, { ledger }));
    expect(await failing(send('/x', request, { ledger }))).toMatchObject({ retry, effect: 'unknown' });
  });

  it.each([408, 500])('does not take that promise for %i', async (code) => {
    handler = status(code);
    expect(await failing(send('/x', { body: 'x', clientErrorsChangeNothing: true }))).toBeInstanceOf(HttpError);
  });

  it('hands over statuses that the tool accepts', async () => {
    handler = status(404);
    expect(await send('/x', { accept: [404] })).toMatchObject({ status: 404, ok: false });
  });

  it('does not read an answer without bound', async () => {
    handler = (_, response) => void response.end('x'.repeat(2_000));
    expect(await failing(send('/x', { bytesMax: 1_000 }))).toMatchObject({ code: 'response_too_large' });
  });
});

describe('what an answer says about another try', () => {
  const advice = async (code: number, headers: Record<string, string> = {}, request: ToolRequest = {}) => {
    handler = (_, response) => {
      response.writeHead(code, headers);
      response.end();
    };
    const said = classify(await failing(send('/', request)), 'repeatable');
    return said.outcome === 'failed' ? [said.retry, said.retryAfterMs] : said.outcome;
  };

  it.each([400, 401, 402, 403, 404, 409, 413, 422])('%i: none can help', async (code) => {
    expect(await advice(code, { 'retry-after': '1' })).toEqual(['never', undefined]);
  });

  it.each([408, 425, 429, 500, 503])('%i: later, as far as the answer says', async (code) => {
    expect(await advice(code)).toEqual(['later', undefined]);
    expect(await advice(code, { 'retry-after': '30' })).toEqual(['later', 30_000]);
  });

  it('may be told otherwise by the tool, by status', async () => {
    const request = { retryOn: { 409: 'later', 503: 'never' } } as const;
    expect(await advice(409, { 'retry-after': '2' }, request)).toEqual(['later', 2_000]);
    expect(await advice(503, {}, request)).toEqual(['never', undefined]);
  });

  it('reaches the coordinator also where the server promises that it changed nothing', async () => {
    handler = (_, response) => void response.writeHead(429, { 'retry-after': '7' }).end();
    const error = await failing(send('/', { method: 'POST', clientErrorsChangeNothing: true }));
    expect(classify(error, 'verifiable')).toMatchObject({ outcome: 'failed', retry: 'later', retryAfterMs: 7_000 });
  });

  it('is read in seconds and as a date', () => {
    const now = Date.UTC(2026, 0, 1);
    expect(retryAfterMs('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60_000);
    expect(retryAfterMs('Wed, 31 Dec 2025 23:00:00 GMT', now)).toBe(0);
    expect(retryAfterMs(' 12 ', now)).toBe(12_000);
    for (const odd of [undefined, '', 'soon', '-5', '1.5']) expect(retryAfterMs(odd, now)).toBeUndefined();
  });
});
