import { createServer, type AddressInfo, type Server } from 'node:net';
import { dataSourceOf } from './data-source.js';
import { isAway } from './rows.js';

/** A message of Postgres: its kind, how long it is, what it says. */
const message = (kind: string, said: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(said.length + 4);
  return Buffer.concat([Buffer.from(kind), length, said]);
};
const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const FAREWELL = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
);

let server: Server;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([WELCOME, FAREWELL])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

describe('a connection to the database', () => {
  it('that is ended in the moment in which it is handed over ends no gateway', async () => {
    const { port } = server.address() as AddressInfo;
    const source = dataSourceOf({ url: `postgres://somebody@127.0.0.1:${port}/holdfast` });
    const error = await source.initialize().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(isAway(error)).toBe(true);
  });
});
