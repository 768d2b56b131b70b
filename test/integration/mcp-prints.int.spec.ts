import { join } from 'node:path';
import { runTool } from '@holdfast/sdk';
import { folder, lines, note, open, pinnedIn } from '../support/mcp/book.js';

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
