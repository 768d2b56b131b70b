import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@holdfast/dev';
import { openServer, readSection, toolsFromSection, type ServerSettings } from '@holdfast/mcp-tools';
import { runTool, silentLogger, verifyTool, type SectionTools, type Tool } from '@holdfast/sdk';

const program = fileURLToPath(new URL('../support/mcp/server.mjs', import.meta.url));
let folder: string;
let book: string;
let opened: SectionTools[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  book = join(folder, 'book');
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map(async (one) => one.close?.()));
  rmSync(folder, { recursive: true });
});

const NOTE = {
  policy: 'verifiable',
  settleMs: 0,
  readBack: {
    tool: 'look',
    args: { name: '{args.name}' },
    rules: [
      { at: 'structured.count', equals: 0, verdict: 'absent' },
      { at: 'structured.found[0].text', equals: '{args.text}', verdict: 'applied' },
    ],
    result: { lines: '{answer.structured.count}' },
  },
};
const READS = Object.fromEntries(
  ['look', 'say', 'fail', 'big', 'deep', 'picture', 'noise', 'ask', 'change'].map((name) => [
    name,
    { policy: 'repeatable' },
  ]),
);

type More = { readonly env?: object; readonly tools?: object; readonly logger?: typeof silentLogger } & {
  readonly [setting: string]: unknown;
};
const open = async ({ env = {}, tools = {}, logger = silentLogger, ...more }: More = {}) => {
  const book1 = {
    command: process.execPath,
    args: [program],
    env: { BOOK: book, ...env },
    version: '1',
    callMs: 5_000,
    ...more,
    tools: { note: NOTE, ...READS, ...tools },
  };
  const made = await toolsFromSection({ book: book1 }, { file: 'tools.yaml', directory: folder, logger });
  opened.push(made);
  return (name: string): Tool => made.tools.find((tool) => tool.name === `book.${name}`) as Tool;
};
const lines = (): readonly unknown[] =>
  readFileSync(book, { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
const note = (...conduct: string[]) => ({ name: 'n', text: 'hello', conduct });

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

describe('what a server prints', () => {
  it('beside its messages does no harm, and goes into the log within bounds', async () => {
    const logged: string[] = [];
    const keep = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
    const logger = { debug: keep, info: keep, warn: keep, error: keep };
    const tool = await open({ logger });
    const ended = await runTool(tool('noise'), { lines: 5_000 });
    expect(ended).toMatchObject({ outcome: 'succeeded', result: { content: [{ text: 'after the noise' }] } });
    expect(logged.length).toBeLessThanOrEqual(60);
    expect(logged.join('\n')).toContain('noise 0');
  });

  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list'])(
    'to ask for %s is refused',
    async (method) => {
      const tool = await open();
      const ended = await runTool(tool('ask'), { method });
      const [part] = (ended as unknown as { result: { content: { text: string }[] } }).result.content;
      expect(part?.text).toContain(`offers no ${method}`);
    },
  );

  it('as an answer above the inline limit is told by size and hash', async () => {
    const tool = await open();
    expect(await runTool(tool('big'), { bytes: 300_000 })).toMatchObject({
      outcome: 'succeeded',
      omitted: { omitted: true, sha256: expect.any(String) },
    });
  });

  it('as an answer above answerBytes is not read to its end, and the next call is answered', async () => {
    const tool = await open({ answerBytes: 65_536 });
    const ended = await runTool(tool('big'), { bytes: 10_000_000 });
    expect(ended).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'mcp_answer_too_large' } });
    expect((ended as { failure: { message: string } }).failure.message).toMatch(
      /10000\d\d\d bytes .*answerBytes is 65536/,
    );
    expect(await runTool(tool('say'), { text: 'next' })).toMatchObject({ outcome: 'succeeded' });
  });

  it.each([200, 1_000_000])('as an answer with %i levels does no harm', async (levels) => {
    const tool = await open({ answerBytes: 16 * 1024 * 1024 });
    const ended = await runTool(tool('deep'), { levels }, { signal: AbortSignal.timeout(700) });
    expect(['failed', 'succeeded']).toContain(ended.outcome);
    expect('result' in ended).toBe(false);
    expect(await runTool(tool('say'), { text: 'next' })).toMatchObject({ outcome: 'succeeded' });
  });

  it('as a picture is kept while it is small, and by size and hash beyond', async () => {
    const tool = await open();
    const small = await runTool(tool('picture'), { bytes: 3 });
    expect(small).toMatchObject({ result: { content: [{ type: 'image', mimeType: 'image/png', data: 'BwcH' }] } });
    const large = await runTool(tool('picture'), { bytes: 200_000 });
    expect(large).toMatchObject({
      result: { content: [{ type: 'image', mimeType: 'image/png', bytes: 200_000, sha256: expect.any(String) }] },
    });
    expect(JSON.stringify(large).length).toBeLessThan(1_000);
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

describe('tools that have changed while they are served', () => {
  it('are not called any more, and the message says how to mend it', async () => {
    const tool = await open();
    await runTool(tool('change'), { tool: 'note' });
    const ended = await runTool(tool('note'), note());
    expect(ended).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'mcp_tool_changed' } });
    expect((ended as { failure: { message: string } }).failure.message).toContain(
      'give the server another version in mcp.book in tools.yaml',
    );
    expect(lines()).toEqual([]);
    await runTool(tool('change'), { tool: 'say' });
    expect(await runTool(tool('say'), { text: 'x' })).toMatchObject({ failure: { code: 'mcp_tool_changed' } });
    expect(await runTool(tool('look'), { name: 'n' })).toMatchObject({ outcome: 'succeeded' });
  });

  it('are noticed at the first call where the description is pinned', async () => {
    const file = join(folder, 'book.pin.json');
    const tool = await pinnedIn(file, { pin: 'book.pin.json' }, (pin) =>
      pin.replace(
        '"name":"look","description":"The lines of a name.","inputSchema":{"type":"object"',
        '$&,"title":"other"',
      ),
    );
    expect(await runTool(tool('look'), { name: 'n' })).toMatchObject({ failure: { code: 'mcp_tool_changed' } });
    expect(await runTool(tool('say'), { text: 'x' })).toMatchObject({ outcome: 'succeeded' });
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

// Case 67 of docs/field-cases.md.
describe('line separators', () => {
  const separators = 'a\u2028b\u2029c\u0085d\r\ne\nf\rg\\n';
  it('case 67: are no ends of messages, in arguments, results and errors', async () => {
    const tool = await open();
    expect(await runTool(tool('say'), { text: separators })).toMatchObject({
      result: { content: [{ type: 'text', text: separators }] },
    });
    const failed = await runTool(tool('fail'), { text: separators });
    expect((failed as { failure: { message: string } }).failure.message).toContain(separators);
    await runTool(tool('note'), { name: 'n', text: separators });
    expect(lines()).toEqual([{ name: 'n', text: separators, key: null }]);
  });
});

/** Asks until there is an answer: what waits for a back-off is refused until it is over. */
const untilAsked = <T extends { readonly verdict: string }>(ask: () => Promise<T>): Promise<T> =>
  eventually('there is an answer', async () => {
    const asked = await ask();
    return asked.verdict === 'unknown' ? null : asked;
  }) as Promise<T>;

/** The tools by a description that was made while the server was well. */
const pinnedIn = async (file: string, more: More, edit: (pin: string) => string = (pin) => pin) => {
  const settings = readSection({ book: { command: process.execPath, args: [program], version: '1' } })['book'];
  const server = openServer('book', settings as ServerSettings, { file: 'f', directory: folder, logger: silentLogger });
  writeFileSync(file, edit(JSON.stringify(await server.describe())));
  await server.close();
  return open(more);
};
