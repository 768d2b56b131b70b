import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { absent, applied, defineTool, toolSet, unknown } from '@holdfast/sdk';
import { z } from 'zod';
import type { TrackedStep } from './tracked-run.js';
import { ledgerWitness, toolsWitness } from './witness.js';

const step = (key: string, args: TrackedStep['args'] = {}): TrackedStep => ({
  stepId: key,
  tool: 'file@1',
  policy: 'verifiable',
  key,
  otherKeys: [],
  args,
  succeeded: true,
});

describe('a ledger', () => {
  const answering = async (status: number, body: unknown, use: (url: string) => Promise<void>): Promise<void> => {
    const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(body)));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/entries`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };

  it('counts the entries of each key and tells what the first returned', () =>
    answering(
      200,
      [{ key: 'a', result: 1, more: true }, { key: 'b' }, { key: 'a', result: 2 }, { key: 'x' }],
      async (url) => {
        const counts = await ledgerWitness(url).count([step('a'), step('b'), step('c')]);
        expect([...counts]).toEqual([
          ['a', { times: 2, counted: true, result: 1 }],
          ['b', { times: 1, counted: true }],
          ['c', { times: 0, counted: true }],
        ]);
      },
    ));

  it('tells the key of each effect, also of those that nobody asks about', () =>
    answering(200, [{ key: 'a' }, { key: 'x' }, { key: 'a' }], async (url) =>
      expect(await ledgerWitness(url).keys()).toEqual(['a', 'x', 'a']),
    ));

  it.each([
    [500, [], 'it answers 500'],
    [200, { entries: [] }, 'it is not a list of entries with a key'],
  ])('that answers %i %j cannot be read, and says why', (status, body, why) =>
    answering(status, body, async (url) => {
      await expect(ledgerWitness(url).count([step('a')])).rejects.toThrow(
        `the ledger at ${url} cannot be read: ${why}`,
      );
    }),
  );
});

describe('the tools themselves', () => {
  const tool = defineTool({
    name: 'file',
    version: '1',
    input: z.object({ says: z.string().optional() }),
    output: z.number(),
    timeoutMs: 1_000,
    replay: { policy: 'verifiable', settleMs: 0 },
    run: () => 1,
    verify: ({ says }) => {
      if (says === 'absent') return absent('no entry');
      if (says === 'unknown') return unknown('who knows');
      return applied(7, says === 'twice' ? { summary: 'two entries', details: { times: 2 } } : 'an entry');
    },
  });
  const count = async (says: string) => (await toolsWitness(toolSet([tool])).count([step('k', { says })])).get('k');

  it('count once what was applied, and cannot see a repeat', async () =>
    expect(await count('applied')).toEqual({ times: 1, counted: false, result: 7 }));

  it('count as often as their evidence says', async () =>
    expect(await count('twice')).toEqual({ times: 2, counted: true, result: 7 }));

  it('tell what is not there, and what they do not know', async () => {
    expect(await count('absent')).toEqual({ times: 0, counted: true });
    expect(await count('unknown')).toEqual({ times: null, counted: false });
  });

  it('are not asked where the arguments are not known', async () =>
    expect([...(await toolsWitness(toolSet([tool])).count([step('k', null)]))]).toEqual([]));
});
