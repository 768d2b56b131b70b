import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RefuseAddress } from './addresses.js';
import { createFetch } from './create-fetch.js';
import { EffectLedger } from './effect-ledger.js';

let server: Server;
let port: number;
let connections = 0;
const seen: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end();
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
  connections = 0;
});

const send = async (host: string, refuseAddress: RefuseAddress): Promise<unknown> => {
  const ledger = new EffectLedger(() => null);
  const deadline = Date.now() + 5_000;
  const fetch = createFetch({ signal: new AbortController().signal, deadline, ledger, now: () => Date.now() });
  const sent = fetch(`http://${host}:${port}/`, { method: 'POST', refuseAddress });
  return sent.then(
    ({ status }) => status,
    (error: unknown) => error,
  );
};
const refused = { name: 'ToolFailure', code: 'address_refused', retry: 'never', effect: 'none' };

/** How many addresses the name stands for on this machine. */
let namesOfLocalhost = 0;
beforeAll(async () => {
  await send('localhost', (address) => {
    namesOfLocalhost += 1;
    return address;
  });
});

describe('an address that a request may not go to', () => {
  it.each(['localhost', '127.0.0.1', '[::1]', '2130706433'])('is not even connected to: %s', async (host) => {
    const asked: string[] = [];
    const error = await send(host, (address) => {
      asked.push(address);
      return `${address} is not for us`;
    });
    expect(error).toMatchObject({ ...refused, message: expect.stringContaining('is not for us') as unknown });
    expect(asked.every((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
    expect(connections).toBe(0);
  });

  it('gets nothing over a connection to it, whatever was said of it when its name was looked up', async () => {
    let asked = 0;
    const error = await send('localhost', (address) => {
      asked += 1;
      // A name that stands for another address when it is connected to.
      return asked > namesOfLocalhost ? `${address} is not for us` : undefined;
    });
    expect(error).toMatchObject(refused);
    expect(connections).toBe(1);
    expect(seen).toEqual([]);
  });

  it('gets nothing over a connection that was made and kept for another request', async () => {
    expect(await send('127.0.0.1', () => undefined)).toBe(200);
    let asked = 0;
    const error = await send('127.0.0.1', () => (++asked > 1 ? 'not for us' : undefined));
    expect(error).toMatchObject(refused);
    expect([connections, seen.length]).toEqual([1, 1]);
  });

  it('is one of several: the others are connected to', async () => {
    expect(await send('localhost', (address) => (address.includes(':') ? 'not for us' : undefined))).toBe(200);
    expect(seen).toEqual(['/']);
  });
});
