import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@holdfast/dev';
import { inspectServer, toolsFromSection } from '@holdfast/mcp-tools';
import { runTool, silentLogger, verifyTool, type SectionTools, type Tool } from '@holdfast/sdk';
import { yamlSource } from '@holdfast/yaml';

const program = (name: string): string =>
  join(repositoryRoot, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');

let folder: string;
let opened: SectionTools[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map(async (one) => one.close?.()));
  rmSync(folder, { recursive: true });
});
const around = () => ({ file: 'tools.yaml', directory: folder, logger: silentLogger });
const open = async (section: object): Promise<readonly Tool[]> => {
  const made = await toolsFromSection(section, around());
  opened.push(made);
  return made.tools;
};
const find = (tools: readonly Tool[], name: string): Tool => tools.find((tool) => tool.name === name) as Tool;

describe('the file system server', () => {
  const files = (more: object = {}) => ({
    command: process.execPath,
    args: [program('server-filesystem'), folder],
    version: '1',
    only: ['write_file', 'read_text_file'],
    tools: {
      read_text_file: { policy: 'repeatable' },
      write_file: {
        policy: 'verifiable',
        settleMs: 0,
        readBack: {
          tool: 'read_text_file',
          args: { path: '{args.path}' },
          rules: [
            { equals: '{args.content}', verdict: 'applied' },
            { error: 'ENOENT', verdict: 'absent' },
          ],
        },
      },
    },
    ...more,
  });

  it('writes, and is asked what it has written', async () => {
    const tools = await open({ files: files() });
    expect(tools.map(({ ref }) => ref).toSorted()).toEqual(['files.read_text_file@1', 'files.write_file@1']);
    const write = find(tools, 'files.write_file');
    const args = { path: join(folder, 'a.txt'), content: 'one\u2028two\r\n' };
    expect(await verifyTool(write, args)).toMatchObject({ verdict: 'absent' });
    expect(await runTool(write, args)).toMatchObject({ outcome: 'succeeded' });
    expect(readFileSync(args.path, 'utf8')).toBe(args.content);
    expect(await verifyTool(write, args)).toMatchObject({
      verdict: 'applied',
      evidence: { summary: expect.stringContaining('rule 1 holds'), details: { tool: 'read_text_file' } },
    });
    // Somebody has written something else: no rule says what that means.
    writeFileSync(args.path, 'other');
    expect(await verifyTool(write, args)).toMatchObject({ verdict: 'unknown' });
    const read = await runTool(find(tools, 'files.read_text_file'), { path: join(folder, 'none') });
    expect(read).toMatchObject({ outcome: 'failed', failure: { message: expect.stringContaining('ENOENT') } });
  });
});

describe('the memory server', () => {
  it('keeps what it is told, and tells it again', async () => {
    const tools = await open({
      memory: {
        command: process.execPath,
        args: [program('server-memory')],
        env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
        version: '1',
        tools: {
          create_entities: {
            policy: 'verifiable',
            settleMs: 0,
            readBack: {
              tool: 'open_nodes',
              args: { names: ['{args.entities[0].name}'] },
              rules: [
                { at: 'structured.entities[0].name', equals: '{args.entities[0].name}', verdict: 'applied' },
                { at: 'structured.entities', equals: [], verdict: 'absent' },
              ],
            },
          },
        },
      },
    });
    const create = find(tools, 'memory.create_entities');
    const args = { entities: [{ name: 'Ann', entityType: 'person', observations: ['is here'] }] };
    expect(await verifyTool(create, args)).toMatchObject({ verdict: 'absent' });
    const created = await runTool(create, args);
    expect(created).toMatchObject({ outcome: 'succeeded', result: { structured: { entities: [{ name: 'Ann' }] } } });
    expect(await verifyTool(create, args)).toMatchObject({ verdict: 'applied' });
  });
});

describe('the server with everything', () => {
  it('has a draft that loads as it is, and its content is kept', async () => {
    const raw = { command: process.execPath, args: [program('server-everything')], version: '1' };
    const { draft, name } = await inspectServer(null, raw, around());
    const { value } = yamlSource(draft, 'draft.yaml');
    const tools = await open((value as { mcp: object }).mcp);
    const tool = (called: string) => find(tools, `${name}.${called}`);
    expect(tool('echo').policy).toBe('repeatable');
    expect(await runTool(tool('echo'), { message: 'a\u0085b' })).toMatchObject({
      result: { content: [{ type: 'text', text: 'Echo: a\u0085b' }] },
    });
    const structured = await runTool(tool('get-structured-content'), { location: 'New York' });
    expect(structured).toMatchObject({ result: { structured: { temperature: expect.any(Number) } } });
    const image = await runTool(tool('get-tiny-image'), {});
    expect(JSON.stringify(image)).toContain('"mimeType":"image/png"');
    const link = await runTool(tool('get-resource-links'), { count: 1 });
    expect(JSON.stringify(link)).toContain('"type":"resource_link"');
  });
});
