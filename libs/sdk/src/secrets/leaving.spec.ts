import { z } from 'zod';
import { runTool, verifyTool } from '../testing/run-tool.js';
import { defineTool } from '../tool/define-tool.js';
import { applied } from '../tool/verdict.js';
import { masked, maskPrinting } from './output.js';
import { knownSecrets } from './secrets.js';

const SECRET = 'sk-live-0123456789';
knownSecrets.add('API_KEY', SECRET);
const common = { version: '1', input: z.object({}), output: z.json(), timeoutMs: 1_000 } as const;
const long = 'x'.repeat(8 * 1024 - 10);

describe('a tool that tells its secret', () => {
  it('tells it in no failure, not even where the text is cut in the middle of it', async () => {
    const tool = defineTool({
      ...common,
      name: 'fails',
      replay: 'repeatable',
      run: () => {
        throw Object.assign(new Error(`${long}${SECRET}`), { code: `no_${SECRET}` });
      },
    });
    const said = JSON.stringify(await runTool(tool, {}));
    expect(said).toContain('no_[secret API_KEY]');
    expect(said).not.toContain('sk-live');
  });

  it('tells it in no result and no progress', async () => {
    const tool = defineTool({
      ...common,
      name: 'returns',
      replay: 'pure',
      run: (_, context) => {
        context.progress({ at: SECRET });
        return { [SECRET]: [`a ${SECRET}`] };
      },
    });
    expect(await runTool(tool, {})).toMatchObject({
      result: { '[secret API_KEY]': ['a [secret API_KEY]'] },
      progress: [{ at: '[secret API_KEY]' }],
    });
  });

  it('tells it in no description, neither its own nor that of an argument', () => {
    const input = z.object({ at: z.string().default(SECRET).describe(`not ${SECRET}`) });
    const described = { ...common, name: 'described', input, description: `Begun with ${SECRET}` };
    const entry = defineTool({ ...described, replay: 'pure', run: () => null }).catalogueEntry();
    expect(entry.description).toBe('Begun with [secret API_KEY]');
    expect(JSON.stringify(entry)).not.toContain('sk-live');
  });

  it('tells it in no evidence', async () => {
    const tool = defineTool({
      ...common,
      name: 'verified',
      replay: { policy: 'verifiable', settleMs: 1 },
      run: () => null,
      verify: () => applied(SECRET, { summary: SECRET, details: { deep: [SECRET] } }),
    });
    expect(JSON.stringify(await verifyTool(tool, {}))).not.toContain('sk-live');
  });
});

describe('what is printed', () => {
  it('holds no secret, as text and as bytes, and is left alone otherwise', () => {
    const printed: (string | Uint8Array)[] = [];
    const stream = { write: (chunk: string | Uint8Array) => printed.push(chunk) > 0 };
    maskPrinting(stream);
    const binary = Buffer.from([0xff, 0xfe, 0x00]);
    stream.write(`a ${SECRET}`);
    stream.write(Buffer.from(`b ${SECRET}`));
    stream.write(binary);
    expect(printed.map(String).slice(0, 2)).toEqual(['a [secret API_KEY]', 'b [secret API_KEY]']);
    expect(printed[2]).toBe(binary);
    const lines: string[] = [];
    masked({ write: (line) => lines.push(line) }).write(`{"m":"${SECRET}"}`);
    expect(lines).toEqual(['{"m":"[secret API_KEY]"}']);
  });
});
