import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toolsFromSection } from '@holdfast/mcp-tools';
import { runTool, silentLogger, verifyTool } from '@holdfast/sdk';
import { book, folder, lines, NOTE, note, open, opened, pinnedIn, program, untilAsked } from '../support/mcp/book.js';

describe('a tool of an MCP server', () => {
  it('is published with what the server says of it and what the file says about it', async () => {
    const tool = await open();
    expect(tool('note').catalogueEntry()).toMatchObject({
      name: 'book.note',
      version: '1',
      description: 'Writes a line into the book.',
      policy: 'verifiable',
      verify: true,
      timeoutMs: 5_000,
      inputSchema: { type: 'object', required: ['name'], properties: { text: { type: 'string' } } },
    });
    expect(tool('look').policy).toBe('repeatable');
  });

  it('is unprotected where nobody has classified it, whatever the server hints', async () => {
    const made = await toolsFromSection(
      { book: { command: process.execPath, args: [program], version: '1' } },
      { file: 'tools.yaml', directory: folder, logger: silentLogger },
    );
    opened.push(made);
    expect(new Set(made.tools.map(({ policy }) => policy))).toEqual(new Set(['unprotected']));
  });

  it('is called with its arguments and gives content and structured content', async () => {
    const tool = await open();
    expect(await runTool(tool('note'), note())).toMatchObject({
      outcome: 'succeeded',
      result: { content: [{ type: 'text', text: 'noted' }], structured: { lines: 1 } },
    });
    expect(lines()).toEqual([{ name: 'n', text: 'hello', key: null }]);
  });

  it('is not called where the guard refuses', async () => {
    const tool = await open();
    expect(await runTool(tool('note'), note(), { refusal: () => 'lease' })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'guard_refused' },
    });
    expect(lines()).toEqual([]);
  });
});

describe('a server that dies', () => {
  it.each([
    ['crash-before', 'absent'],
    ['crash-after', 'applied'],
    ['half-answer', 'applied'],
  ])('in a call (%s) leaves an effect in doubt, which the next start answers: %s', async (conduct, verdict) => {
    const tool = await open();
    const ended = await runTool(tool('note'), note(conduct));
    expect(ended).toMatchObject({ outcome: 'unknown', failure: { code: 'mcp_server_gone' } });
    // The first question comes too early: the server is started again a little later.
    const early = await verifyTool(tool('note'), note());
    expect(early).toMatchObject({
      verdict: 'unknown',
      evidence: { summary: expect.stringContaining('mcp_server_down') },
    });
    const asked = await untilAsked(() => verifyTool(tool('note'), note()));
    expect(asked.verdict).toBe(verdict);
    expect(asked.evidence.details).toMatchObject({ server: 'book', tool: 'look', arguments: '{"name":"n"}' });
    expect(lines()).toHaveLength(verdict === 'applied' ? 1 : 0);
  });

  it('after it has answered, without a line end, has answered', async () => {
    const tool = await open();
    expect(await runTool(tool('note'), note('no-line-end'))).toMatchObject({ outcome: 'succeeded' });
  });

  it('before it is asked does not do anything, and is asked again', async () => {
    const pin = join(folder, 'book.pin.json');
    const tool = await pinnedIn(pin, { env: { START: 'crash' }, pin: 'book.pin.json' });
    const ended = await runTool(tool('note'), note());
    expect(ended).toMatchObject({ outcome: 'failed', retry: 'later', failure: { code: 'mcp_server_down' } });
    expect((ended as { failure: { message: string } }).failure.message).toContain('the ink is out');
    expect(await runTool(tool('note'), note())).toMatchObject({ outcome: 'failed', retryAfterMs: expect.any(Number) });
  });

  it('when it should be described is told with its last words, and with what can be done', async () => {
    await expect(open({ env: { START: 'crash' } })).rejects.toThrow(/^mcp\.book: .*the ink is out.*--pin/);
    // It may be well again, and then the worker can start; a program that is not there does not come by waiting.
    await expect(open({ env: { START: 'crash' } })).rejects.toMatchObject({ name: 'ToolsNotReady' });
    const nothing = open({ command: join(folder, 'nothing') });
    await expect(nothing).rejects.toThrow(/ENOENT/);
    await expect(nothing).rejects.toMatchObject({ name: 'InvalidTool' });
  });
});

describe('a server that does not answer', () => {
  it('when it starts is given up after startMs, and the call surely was not made', async () => {
    await expect(open({ env: { START: 'mute' }, startMs: 300 })).rejects.toThrow(
      'did not answer within startMs (300 ms)',
    );
    const tool = await pinnedIn(join(folder, 'p.json'), { env: { START: 'mute' }, startMs: 60_000, pin: 'p.json' });
    const ended = await runTool(tool('note'), note(), { signal: AbortSignal.timeout(300) });
    expect(ended).toMatchObject({ outcome: 'failed', retry: 'later', failure: { code: 'mcp_not_ready' } });
  });

  it('is told that the call is not waited for any more, and stays if it lives', async () => {
    const tool = await open();
    const ended = await runTool(tool('note'), note('hang'), { signal: AbortSignal.timeout(300) });
    expect(ended).toMatchObject({ outcome: 'unknown', failure: { code: 'mcp_no_answer' } });
    expect(await runTool(tool('note'), { name: 'other' })).toMatchObject({ outcome: 'succeeded' });
    expect(lines()).toEqual([
      { name: 'n', text: 'cancelled', key: null },
      { name: 'other', text: '', key: null },
    ]);
  });

  it('is told nothing about calls that it has answered', async () => {
    const tool = await open();
    const stopped = new AbortController();
    expect(await runTool(tool('say'), { text: 'x' }, { signal: stopped.signal })).toMatchObject({
      outcome: 'succeeded',
    });
    stopped.abort();
    expect(await runTool(tool('say'), { text: 'y' })).toMatchObject({ outcome: 'succeeded' });
    expect(existsSync(`${book}.cancels`)).toBe(false);
  });

  it('to anything is left, and another one is started', async () => {
    const tool = await open();
    const ended = await runTool(tool('note'), note('deaf'), { signal: AbortSignal.timeout(300) });
    expect(ended).toMatchObject({ outcome: 'unknown', failure: { code: 'mcp_no_answer' } });
    const again = await untilAsked(async () => {
      const asked = await runTool(tool('say'), { text: 'there?' }, { signal: AbortSignal.timeout(500) });
      return { ...asked, verdict: asked.outcome === 'succeeded' ? 'answered' : 'unknown' };
    });
    expect(again.verdict).toBe('answered');
  });
});

describe('an error that a server answers with', () => {
  it('says nothing about what was done', async () => {
    const tool = await open();
    for (const conduct of ['error-after', 'refuse']) {
      const ended = await runTool(tool('note'), note(conduct));
      expect(ended).toMatchObject({ outcome: 'unknown', failure: { code: 'mcp_tool_error' } });
      rmSync(`${book}.calls`);
    }
    expect(lines()).toHaveLength(1);
  });

  it('says that nothing was done where the file promises it', async () => {
    const tool = await open({ tools: { note: { ...NOTE, errors: 'none', retryErrors: false } } });
    const ended = await runTool(tool('note'), note('error-before'));
    expect(ended).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'mcp_tool_error' } });
    expect((ended as { failure: { message: string } }).failure.message).toContain('the book is shut');
  });

  it('is a failure of a tool that only reads, with its text', async () => {
    const tool = await open();
    const ended = await runTool(tool('fail'), { text: 'no such page' });
    expect(ended).toMatchObject({ outcome: 'failed', retry: 'later', failure: { code: 'mcp_tool_error' } });
    expect((ended as { failure: { message: string } }).failure.message).toContain('no such page');
  });
});

describe('a server that is closed', () => {
  it('is ended, whatever it ignores', async () => {
    const tool = await open({ env: { STAY: 'yes' } });
    const pid = Number(readFileSync(`${book}.pids`, 'utf8'));
    const [made] = opened;
    await made?.close?.();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await runTool(tool('say'), { text: 'x' })).toMatchObject({ failure: { code: 'mcp_closed' } });
  });
});

describe('a key', () => {
  it('goes into the argument that the file names, which no plan has to give', async () => {
    const keyed = { policy: 'keyed', keyTtlMs: 86_400_000, keyArgument: 'key' };
    const tool = await open({ tools: { note: keyed } });
    const { inputSchema } = tool('note').catalogueEntry();
    expect(Object.keys(inputSchema['properties'] as object)).toEqual(['name', 'text', 'conduct']);
    await runTool(tool('note'), note(), { key: 'run/step' });
    expect(lines()).toEqual([{ name: 'n', text: 'hello', key: 'run/step' }]);
  });

  it('makes a marker by which the effect is found again', async () => {
    const marked = {
      policy: 'verifiable',
      settleMs: 0,
      marker: { argument: 'text', text: ' ({marker})' },
      readBack: {
        tool: 'look',
        args: { name: '{args.name}' },
        rules: [
          { contains: '{marker}', verdict: 'applied' },
          { lacks: '{marker}', verdict: 'absent' },
        ],
      },
    };
    const tool = await open({ tools: { note: marked } });
    await runTool(tool('note'), note(), { key: 'run/a' });
    expect(lines()).toEqual([{ name: 'n', text: expect.stringMatching(/^hello \(hf[0-9a-f]{24}\)$/), key: null }]);
    expect(await verifyTool(tool('note'), note(), { key: 'run/a' })).toMatchObject({
      verdict: 'applied',
      result: { recovered: { by: 'look' } },
    });
    expect(await verifyTool(tool('note'), note(), { key: 'run/b' })).toMatchObject({ verdict: 'absent' });
  });
});
