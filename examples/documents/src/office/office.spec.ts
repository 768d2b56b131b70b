import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from './calls.js';
import { conductOf, type Conduct } from './conduct.js';
import { openLedger, readLedger, type Ledger } from './ledger.js';
import { createOffice } from './office.js';

const manners = { seed: 1, lateMs: 5_500 };
const folder = mkdtempSync(join(tmpdir(), 'records-office-'));
const file = join(folder, 'ledger.jsonl');
let ledger: Ledger;
let server: Server;
let url: string;

beforeAll(async () => {
  ledger = openLedger(file);
  server = createOffice(ledger, manners);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  ledger.close();
  rmSync(folder, { recursive: true });
});

let next = 0;
// Each test has a document of its own, whose first call goes the way the test is about.
const documentThat = (fits: (conduct: Conduct, second: Conduct) => boolean): string => {
  for (;;) {
    const document = `doc-${(next += 1)}.md`;
    if (fits(conductOf(manners, document, 0), conductOf(manners, document, 1))) return document;
  }
};
const bodyAbout = (document: string): string => JSON.stringify({ document, key: `key of ${document}`, sha256: 'abc' });
const post = (document: string): Promise<Response> =>
  fetch(`${url}/records`, { method: 'POST', body: bodyAbout(document) });
/** Sends a whole call and is gone with its last byte, as a killed client is. */
const postAndDie = (document: string): void => {
  const body = bodyAbout(document);
  const head = `POST /records HTTP/1.1\r\nhost: office\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  socket.write(head + body, () => socket.destroy());
};
const linesOf = (document: string): number =>
  readLedger(readFileSync(file, 'utf8')).filter((line) => line.document === document).length;
const callOf = async (document: string): Promise<Call | undefined> => {
  const { calls } = (await (await fetch(`${url}/calls?since=0`)).json()) as { calls: Call[] };
  return calls.find((call) => call.document === document);
};

// Each look is a request of its own, so this does not spin.
const untilOver = async (document: string): Promise<void> => {
  for (;;) {
    const call = await callOf(document);
    if (call !== undefined && (call.appliedAt !== null || call.droppedAt !== null)) return;
  }
};

describe('filing at the records office', () => {
  it('has the line in the ledger before it answers, and files again when asked again', async () => {
    const document = documentThat((first, second) => first.fate === 'answers' && second.fate === 'answers');
    expect(await (await post(document)).json()).toStrictEqual({ receipt: 'filed-1' });
    expect(linesOf(document)).toBe(1);
    expect(await (await post(document)).json()).toStrictEqual({ receipt: 'filed-2' });
    expect(linesOf(document)).toBe(2);
    const listed = await fetch(`${url}/records?key=${encodeURIComponent(`key of ${document}`)}`);
    expect(((await listed.json()) as { records: unknown[] }).records).toHaveLength(2);
  });

  it('refuses some calls before anything is filed', async () => {
    const document = documentThat(({ fate }) => fate === 'refuses');
    expect((await post(document)).status).toBe(503);
    expect(linesOf(document)).toBe(0);
  });

  it('files and cuts the connection in others', async () => {
    const document = documentThat(({ fate }) => fate === 'drops');
    await expect(post(document)).rejects.toThrow('fetch failed');
    expect(linesOf(document)).toBe(1);
    expect(await callOf(document)).toMatchObject({ answeredAt: null, goneAt: null, cutAt: expect.any(Number) });
  });

  it.each([
    ['files', true, 1],
    ['drops', false, 0],
  ])('%s a call whose client has gone, as the seed says', async (_, appliesWhenGone, lines) => {
    const document = documentThat(
      (conduct) => conduct.fate === 'answers' && conduct.beforeMs > 12 && conduct.appliesWhenGone === appliesWhenGone,
    );
    postAndDie(document);
    await untilOver(document);
    expect(linesOf(document)).toBe(lines);
    expect(await callOf(document)).toMatchObject({ answeredAt: null, goneAt: expect.any(Number) });
  });

  it('tells what it has filed from a moment on, for those who cannot see its file', async () => {
    const lines = readLedger(readFileSync(file, 'utf8'));
    const tell = async (since: number): Promise<unknown> => (await fetch(`${url}/ledger?since=${since}`)).json();
    expect(await tell(0)).toEqual({ lines });
    const at = (lines.at(-1)?.at ?? 0) + 1;
    expect(await tell(at)).toEqual({ lines: [] });
  });

  it('says what is wrong with a call that it cannot read', async () => {
    const response = await fetch(`${url}/records`, { method: 'POST', body: 'no JSON' });
    expect(response.status).toBe(400);
  });
});
