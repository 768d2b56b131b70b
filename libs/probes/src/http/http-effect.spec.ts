import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runTool, verifyTool, type Tool } from '@holdfast/sdk';
import { z } from 'zod';
import { cuttingProxy, type CuttingProxy } from '../contract/cutting-proxy.js';
import { probeContract } from '../contract/probe-contract.js';
import type { ProbeWorld } from '../contract/probe-world.js';
import { keyMarker } from '../key-marker.js';
import { httpEffect } from './http-effect.js';

const SECRET = 'rooms-api-token-42';
type Booking = { readonly booking: number; readonly guest: string };

/** Rooms that are booked by a key, and looked up by it. */
class Rooms {
  readonly bookings = new Map<string, Booking>();
  readonly seen: string[] = [];
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;
  readonly server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => (body += text));
    request.on('end', () => {
      this.seen.push(`${request.method} ${request.url}`);
      if (this.answer?.(request, response) === true) return;
      this.serve(request, response, body);
    });
  });

  private serve(request: IncomingMessage, response: ServerResponse, body: string): void {
    if (request.headers.authorization !== `Bearer ${SECRET}`) return void response.writeHead(401).end(`bad ${SECRET}`);
    response.setHeader('content-type', 'application/json');
    if (request.method === 'POST') {
      const key = String(request.headers['idempotency-key']);
      const { guest } = JSON.parse(body) as { guest: string };
      const booking = this.bookings.get(key) ?? { booking: this.bookings.size + 1, guest };
      this.bookings.set(key, booking);
      return void response.end(JSON.stringify(booking));
    }
    const key = new URL(request.url ?? '', 'http://rooms').searchParams.get('key') ?? '';
    const booking = this.bookings.get(key);
    response.end(JSON.stringify(booking === undefined ? [] : [booking]));
  }
}

const rooms = new Rooms();
let way: CuttingProxy;
let world: ProbeWorld;

const bookingTool = (origin: string, more: Partial<Parameters<typeof httpEffect>[0]> = {}): Tool => {
  const headers = { authorization: `Bearer ${SECRET}` };
  return httpEffect({
    name: 'book-room',
    version: '1',
    input: z.object({ guest: z.string() }),
    output: z.object({ booking: z.int(), guest: z.string() }),
    request: (args) => ({ url: `${origin}/bookings`, json: args, headers }),
    lookup: (_, { key }) => ({ url: `${origin}/bookings?key=${encodeURIComponent(key)}`, headers }),
    ...more,
  } as Parameters<typeof httpEffect>[0]);
};

beforeAll(async () => {
  await new Promise<void>((resolve) => rooms.server.listen(0, '127.0.0.1', resolve));
  const { port } = rooms.server.address() as AddressInfo;
  way = await cuttingProxy({ port, effect: (bytes) => bytes.includes('POST /bookings') });
  world = {
    tool: bookingTool(`http://127.0.0.1:${way.port}`),
    args: (text) => ({ guest: text }),
    effects: async (key) => (rooms.bookings.has(key) ? 1 : 0),
    fault: (fault) => way.fault(fault),
    secrets: [SECRET],
  };
});
afterAll(async () => {
  await way.close();
  rooms.server.closeAllConnections();
  rooms.server.close();
});

describe('a request with a key', () => {
  for (const { name, run } of probeContract(() => world)) it(name, run);
});

describe('what a lookup answers', () => {
  const asked = async (status: number, body: string, more: Partial<Parameters<typeof httpEffect>[0]> = {}) => {
    rooms.answer = (_, response) => {
      response.writeHead(status).end(body);
      return true;
    };
    const tool = bookingTool(`http://127.0.0.1:${way.port}`, more);
    const { verdict, evidence } = await verifyTool(tool, { guest: 'x' }, { key: 'k' });
    rooms.answer = null;
    return [verdict, evidence.summary] as const;
  };

  it.each([
    [200, '[]', 'absent'],
    [404, 'no', 'absent'],
    [200, '{"booking":7,"guest":"x"}', 'applied'],
    [200, '[{"booking":7,"guest":"x"},{"booking":8,"guest":"x"}]', 'applied'],
    [200, '', 'unknown'],
    [204, '', 'unknown'],
    [200, '<html>log in</html>', 'unknown'],
    [200, '{"booking":"seven"}', 'unknown'],
    [302, '', 'unknown'],
    [401, '', 'unknown'],
    [410, '', 'unknown'],
    [503, '', 'unknown'],
  ])('%i %j is %s', async (status, body, verdict) => expect((await asked(status, body))[0]).toBe(verdict));

  it('is read as its user says', async () => {
    const found = (answer: unknown): unknown => (answer as { items: { row?: unknown } }).items.row;
    const row = '{"items":{"row":{"booking":1,"guest":"x"}}}';
    expect((await asked(200, row, { found }))[0]).toBe('applied');
    expect((await asked(200, '{"items":{}}', { found }))[0]).toBe('absent');
    expect((await asked(200, '{}', { found }))[0]).toBe('unknown');
    expect((await asked(410, '', { absentOn: [410] }))[0]).toBe('absent');
    expect((await asked(404, '', { absentOn: [410] }))[0]).toBe('unknown');
  });

  it('names key and place, and nothing of the query', async () => {
    const [, summary] = await asked(404, 'no');
    expect(summary).toContain(`/bookings for ${keyMarker('k')} of k`);
    expect(summary).not.toContain('key=');
  });
});

describe('a request', () => {
  const requestsOf = async (run: () => Promise<unknown>): Promise<string[]> => {
    rooms.seen.length = 0;
    await run();
    return rooms.seen;
  };

  it('is sent once, whatever it is answered', async () => {
    const tool = bookingTool(`http://127.0.0.1:${way.port}`);
    rooms.answer = (_, response) => {
      response.writeHead(503, { 'retry-after': '0' }).end();
      return true;
    };
    const seen = await requestsOf(() => runTool(tool, { guest: 'x' }, { key: 'once' }));
    rooms.answer = null;
    expect(seen).toEqual(['POST /bookings']);
  });

  it('is preceded by a question from the second attempt on, and not before', async () => {
    const tool = bookingTool(`http://127.0.0.1:${way.port}`);
    expect(await requestsOf(() => runTool(tool, { guest: 'x' }, { key: 'q' }))).toEqual(['POST /bookings']);
    expect(await requestsOf(() => runTool(tool, { guest: 'x' }, { key: 'q', attempt: 1 }))).toEqual([
      'GET /bookings?key=q',
    ]);
  });

  it('has done nothing where the other side promises it for a 4xx', async () => {
    rooms.answer = (_, response) => {
      response.writeHead(422).end('no such room');
      return true;
    };
    const tool = (clientErrorsChangeNothing: boolean) =>
      bookingTool(`http://127.0.0.1:${way.port}`, { clientErrorsChangeNothing });
    expect(await runTool(tool(true), { guest: 'x' })).toMatchObject({ outcome: 'failed', retry: 'never' });
    expect(await runTool(tool(false), { guest: 'x' })).toMatchObject({ outcome: 'unknown' });
    rooms.answer = null;
  });

  it('carries the marker where a header cannot hold the key', async () => {
    const tool = bookingTool(`http://127.0.0.1:${way.port}`);
    await runTool(tool, { guest: 'x' }, { key: 'größe/日' });
    expect(rooms.bookings.has(keyMarker('größe/日'))).toBe(true);
  });

  it('that cannot be made of the arguments has done nothing', async () => {
    const request = (): never => {
      throw new TypeError('there is no such room');
    };
    const outcome = await runTool(bookingTool('http://127.0.0.1:1', { request }), { guest: 'x' });
    expect(outcome).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'invalid_request' } });
  });

  it('is keyed where the other side drops repeats for a time', () => {
    const tool = bookingTool('http://127.0.0.1:1', { keyTtlMs: 86_400_000 });
    expect(tool).toMatchObject({ policy: 'keyed', keyTtlMs: 86_400_000, settleMs: 10_000 });
    expect(bookingTool('http://127.0.0.1:1')).toMatchObject({
      policy: 'verifiable',
      settleMs: 10_000,
      timeoutMs: 10_000,
    });
  });
});
