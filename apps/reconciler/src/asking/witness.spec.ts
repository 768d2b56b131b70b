import {
  absent,
  applied,
  defineTool,
  silentLogger,
  systemClock,
  toolSet,
  unknown,
  type ToolVerdict,
} from '@holdfast/sdk';
import { z } from 'zod';
import { toolWitness } from './witness.js';

const ask = async (verify: (args: { name: string }, key: string) => unknown, args: object = { name: 'a' }) => {
  const tool = defineTool({
    name: 't',
    version: '1',
    input: z.object({ name: z.string() }),
    output: z.object({ id: z.number(), text: z.string().optional() }),
    replay: { policy: 'verifiable', settleMs: 1 },
    timeoutMs: 10,
    run: () => ({ id: 1 }),
    verify: (given, { key }) => verify(given, key) as ToolVerdict<{ id: number }>,
  });
  const question = { args: args as never, key: 'k', signal: new AbortController().signal, logger: silentLogger };
  return toolWitness(toolSet([tool]), systemClock, 1_000)({ tool: 't@1', ...question });
};

describe('asking a tool what became of a call', () => {
  it('hands on its arguments and key, and its word', async () => {
    const asked: unknown[] = [];
    const said = await ask((...question) => {
      asked.push(question);
      return applied({ id: 7 }, 'found');
    });
    expect(asked).toEqual([[{ name: 'a' }, 'k']]);
    expect(said).toEqual({ verdict: 'applied', result: { id: 7 }, evidence: { summary: 'found' } });
    expect(await ask(() => absent('not there'))).toEqual({ verdict: 'absent', evidence: { summary: 'not there' } });
    expect(await ask(() => unknown('down'))).toEqual({ verdict: 'unknown', evidence: { summary: 'down' } });
  });

  it('takes an exception as unknown, with the exception as evidence', async () =>
    expect(
      await ask(() => {
        throw new Error('connection refused');
      }),
    ).toMatchObject({
      verdict: 'unknown',
      evidence: { summary: 'asking t@1 failed', details: expect.stringContaining('connection refused') },
    }));

  it('takes a result that does not fit the output as unknown', async () =>
    expect(await ask(() => applied({ id: 'x' }, 'found'))).toMatchObject({
      verdict: 'unknown',
      evidence: { summary: expect.stringContaining('does not fit') },
    }));

  it('takes a result that history cannot keep as unknown, and passes on what was seen', async () =>
    expect(await ask(() => applied({ id: 1, text: 'x'.repeat(300_000) }, 'found'))).toMatchObject({
      verdict: 'unknown',
      evidence: { summary: expect.stringContaining('larger'), details: 'found' },
    }));

  it('takes what is no verdict as unknown', async () => {
    for (const nonsense of [undefined, null, {}, 'applied', { verdict: 'maybe' }]) {
      expect(await ask(() => nonsense)).toMatchObject({ verdict: 'unknown' });
    }
  });

  it('takes arguments that do not fit the input as unknown and does not ask', async () =>
    expect(await ask(() => applied({ id: 1 }, 'found'), {})).toMatchObject({ verdict: 'unknown' }));

  it('says unknown about a tool that is not loaded', async () => {
    const question = { args: {}, key: 'k', signal: new AbortController().signal, logger: silentLogger };
    const witness = toolWitness(toolSet([]), systemClock, 1_000);
    expect(await witness({ tool: 't@1', ...question })).toMatchObject({
      verdict: 'unknown',
      evidence: { summary: 'this reconciler has not loaded the tool t@1' },
    });
  });

  it('bounds evidence that is too large', async () => {
    const said = await ask(() => ({ verdict: 'absent', evidence: { summary: 's', details: 'x'.repeat(20_000) } }));
    expect(JSON.stringify(said.evidence).length).toBeLessThan(8 * 1024);
  });
});
