import { z } from 'zod';
import { defineTool } from '../tool/define-tool.js';
import { ToolFailure } from '../tool/tool-failure.js';
import type { ToolContext } from '../tool/tool.js';
import { absent, applied } from '../tool/verdict.js';
import { runTool, verifyTool } from './run-tool.js';

const tool = (run: (args: { text: string }, context: ToolContext) => unknown, verify?: () => unknown) =>
  defineTool({
    name: 'print',
    version: '1',
    input: z.object({ text: z.string() }),
    output: z.object({ pages: z.int() }),
    replay: { policy: 'verifiable', settleMs: 1 },
    timeoutMs: 1_000,
    run: run as () => { pages: number },
    verify: (verify ?? (() => absent('nothing'))) as () => ReturnType<typeof absent>,
  });

describe('running a tool', () => {
  it('gives its result and what it told on the way', async () => {
    const printing = tool((_, context) => {
      context.progress({ page: 1 });
      return { pages: 1 };
    });
    expect(await runTool(printing, { text: 'x' })).toStrictEqual({
      outcome: 'succeeded',
      result: { pages: 1 },
      progress: [{ page: 1 }],
    });
  });

  it('knows what it says to have used, and nothing where it says nothing', async () => {
    const spending = tool((_, context) => {
      context.spend({ tokensIn: 3, money: { amount: '0.10', currency: 'EUR' } });
      context.spend({ tokensIn: 4, tokensOut: 1, money: { amount: '0.20', currency: 'EUR' } });
      return { pages: context.budget['effects'] };
    });
    expect(await runTool(spending, { text: 'x' }, { budget: { effects: 5 } })).toMatchObject({
      result: { pages: 5 },
      used: { tokensIn: 7, tokensOut: 1, 'money:EUR': '0.3' },
    });
    expect(
      await runTool(
        tool(() => ({ pages: 1 })),
        { text: 'x' },
      ),
    ).not.toHaveProperty('used');
    const refused = tool(() => {
      throw new ToolFailure('no', { retry: 'never', effect: 'none' });
    });
    expect(await runTool(refused, { text: 'x' })).toMatchObject({ used: {} });
    const odd = tool((_, context) => context.spend({ tokens: 1 } as never));
    expect(await runTool(odd, { text: 'x' })).toMatchObject({ outcome: 'unknown', failure: { code: 'exception' } });
  });

  it('fails before the call when the arguments do not fit', async () => {
    let called = false;
    const outcome = await runTool(
      tool(() => (called = true)),
      { text: 1 },
    );
    expect(outcome).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'invalid_args' } });
    expect(called).toBe(false);
  });

  it('takes a result that does not fit as unknown: the call was made', async () =>
    expect(
      await runTool(
        tool(() => ({ pages: 'two' })),
        { text: 'x' },
      ),
    ).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'invalid_result' },
    }));

  it('hashes a result that is too large to be kept', async () => {
    const large = defineTool({
      name: 'large',
      version: '1',
      input: z.object({}),
      output: z.string(),
      replay: 'pure',
      timeoutMs: 10,
      run: () => 'x'.repeat(300_000),
    });
    expect(await runTool(large, {})).toMatchObject({
      outcome: 'succeeded',
      omitted: { omitted: true, bytes: 300_002 },
    });
  });

  it('knows what was done before the guard refused', async () => {
    let allowed = 1;
    const printing = tool((_, context) => {
      context.guard();
      context.guard();
    });
    const refusal = () => (allowed-- > 0 ? null : 'lease');
    expect(await runTool(printing, { text: 'x' }, { refusal: () => 'lease' })).toMatchObject({ outcome: 'failed' });
    expect(await runTool(printing, { text: 'x' }, { refusal })).toMatchObject({ outcome: 'unknown' });
  });

  it('refuses an effect after the deadline and after an abort', async () => {
    const printing = tool((_, context) => context.guard());
    const late = await runTool(printing, { text: 'x' }, { deadline: Date.now() - 1 });
    const stopped = await runTool(printing, { text: 'x' }, { signal: AbortSignal.abort() });
    expect(late).toMatchObject({ failure: { message: expect.stringContaining('deadline') as unknown } });
    expect(stopped).toMatchObject({ failure: { message: expect.stringContaining('stopped') as unknown } });
  });

  it('lets nothing begin that a tool left behind', async () => {
    let left: ToolContext | null = null;
    await runTool(
      tool((_, context) => {
        left = context;
        throw new ToolFailure('gave up', { retry: 'later', effect: 'none' });
      }),
      { text: 'x' },
    );
    expect(() => (left as unknown as ToolContext).guard()).toThrow('its worker is stopping');
  });
});

describe('asking a tool', () => {
  const ask = (verify: () => unknown) =>
    verifyTool(
      tool(() => ({ pages: 1 }), verify),
      { text: 'x' },
    );

  it('gives its verdict', async () => {
    expect(await ask(() => absent('no page'))).toStrictEqual({ verdict: 'absent', evidence: { summary: 'no page' } });
    expect(await ask(() => applied({ pages: 2 }, 'two pages'))).toMatchObject({ result: { pages: 2 } });
  });

  it.each([
    ['an exception', () => Promise.reject(new Error('no line'))],
    ['a result that does not fit', () => applied({ pages: 'two' }, 'two pages')],
    ['no answer', () => undefined],
    ['an answer that is none', () => ({ verdict: 'perhaps' })],
  ])('takes %s as unknown', async (_, verify) => expect((await ask(verify)).verdict).toBe('unknown'));
});
