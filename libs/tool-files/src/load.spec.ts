import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSection, defineTool, silentLogger, ToolsNotReady, type Tool } from '@holdfast/sdk';
import { z } from 'zod';
import { isToolFile, loadToolsAndFiles } from './load.js';
import type { FindLibrary, SectionName } from './sections.js';

const tool = (name: string): Tool =>
  defineTool({
    name,
    version: '1',
    input: z.object({}),
    output: z.null(),
    replay: 'pure',
    timeoutMs: 10,
    run: () => null,
  });

const folder = mkdtempSync(join(tmpdir(), 'holdfast-tool-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return `./${name}`;
};

/** Libraries that make a tool for each name in their section. */
const libraries = () => {
  const imported: SectionName[] = [];
  const closed: string[] = [];
  const schema = z.strictObject({ tools: z.array(z.string()) });
  const library: FindLibrary = async (section) => {
    if (section === 'probes') throw new Error('Cannot find package');
    imported.push(section);
    return async (value, { directory }) => {
      expect(directory).toBe(folder);
      const { tools } = checkSection(section, schema, value);
      if (tools.includes('broken')) throw new Error(`${section}.tools[1]: cannot be made`);
      if (tools.includes('late')) throw new ToolsNotReady(`${section}.tools[0]: is down`);
      if (tools.includes('odd')) throw new Error('something else');
      return { tools: tools.map(tool), close: async () => void closed.push(...tools) };
    };
  };
  const load = (...names: string[]) => loadToolsAndFiles(names, { cwd: folder, logger: silentLogger, library });
  return { load, imported, closed };
};

const shared = globalThis as unknown as { fileTool: Tool };
shared.fileTool = tool('from-module');

describe('a tool file', () => {
  it.each([
    ['tools.yaml', true],
    ['a.b.yml', true],
    ['./x.JSON', true],
    ['./dist/tools.js', false],
    ['@acme/yaml', false],
  ])('%s is one by its name: %s', (name, is) => expect(isToolFile(name)).toBe(is));

  it('stands beside modules, in YAML and in JSON, in the order in which they are named', async () => {
    const { load, imported } = libraries();
    const { tools } = await load(
      write('a.yaml', 'http:\n  tools: [a, b]\nmodels: { tools: [c] }\n'),
      write('m.mjs', 'export default [globalThis.fileTool];'),
      write('d.json', '{ "mcp": { "tools": ["d"] } }'),
    );
    expect(tools.all.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'from-module', 'd']);
    expect(imported).toEqual(['http', 'models', 'mcp']);
  });

  it('closes what its tools keep open, once', async () => {
    const { load, closed } = libraries();
    const { close } = await load(write('a.yaml', 'http: { tools: [a] }\nmcp: { tools: [b] }\n'));
    expect(closed).toEqual([]);
    await close();
    expect(closed).toEqual(['a', 'b']);
  });

  it('that cannot be used closes what was opened before it', async () => {
    const { load, closed } = libraries();
    const good = write('good.yaml', 'http: { tools: [a] }\n');
    await expect(load(good, write('bad.yaml', 'http: { tools: [x, broken] }\n'))).rejects.toThrow('cannot be made');
    expect(closed).toEqual(['a']);
  });

  it('that brings a tool twice is refused', async () => {
    const { load } = libraries();
    const file = write('twice.yaml', 'http: { tools: [a] }\nmcp: { tools: [a] }\n');
    await expect(load(file)).rejects.toThrow('tool a@1 is defined twice');
  });

  it.each([
    [
      'http:\n  tools: [a\n',
      /tool file "\.\/f\.yaml" is not YAML or JSON that can be used:\n {2}- \.\/f\.yaml:\d+:\d+: /,
    ],
    ['', /\.\/f\.yaml.*a tool file holds sections: models, mcp, http, probes/],
    ['- a\n', /\.\/f\.yaml:1:1: a tool file holds sections/],
    ['http: { tools: [a] }\nhtpp: {}\n', /\.\/f\.yaml:2:1: htpp is not a section of a tool file; known are models, /],
    ['mcp:\n  tools:\n    - a\n    - 7\n', /^\.\/f\.yaml:4:7: mcp\.tools\[1\]: Invalid input: expected string/],
    ['mcp:\n  tools: []\n  more: 1\n', /^\.\/f\.yaml:3:3: mcp\.more: is not known here/],
    ['http:\n  tools:\n    - a\n    - broken\n', /^\.\/f\.yaml:4:7: http\.tools\[1\]: cannot be made/],
    ['\nhttp: { tools: [odd] }\n', /^\.\/f\.yaml:2:1: http: something else/],
    ['probes: {}\n', /^\.\/f\.yaml:1:1: probes needs @holdfast\/probes, which cannot be loaded: Cannot find package/],
    ['http: { tools: [] }\n', /tool file "\.\/f\.yaml" has no tools/],
  ])('%j is refused with file and line', async (text, message) => {
    const { load } = libraries();
    await expect(load(write('f.yaml', text))).rejects.toThrow(message);
    await expect(load('./f.yaml')).rejects.toMatchObject({ name: 'InvalidTool' });
  });

  it('whose tools cannot be had yet says so, with the place, and is not called wrong', async () => {
    const { load } = libraries();
    const loading = load(write('late.yaml', '\nmcp:\n  tools: [late]\n'));
    await expect(loading).rejects.toThrow('./late.yaml:3:11: mcp.tools[0]: is down');
    await expect(loading).rejects.toMatchObject({ name: 'ToolsNotReady' });
  });

  it('that is not there is named with where it was looked for', async () => {
    const { load } = libraries();
    await expect(load('./none.yaml')).rejects.toThrow(
      `tool file "./none.yaml" cannot be read: there is no such file (looked for ${join(folder, 'none.yaml')})`,
    );
  });
});
