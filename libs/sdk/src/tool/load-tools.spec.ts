import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool } from './define-tool.js';
import { loadTools } from './load-tools.js';
import { toolSet } from './tool-set.js';

const tool = (name: string) =>
  defineTool({
    name,
    version: '1',
    input: z.object({}),
    output: z.null(),
    replay: 'pure',
    timeoutMs: 10,
    run: () => null,
  });

describe('loading tools', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tools-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  // Modules of users find the library on their own; here they are handed the tools.
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return `./${name}`;
  };
  const shared = globalThis as unknown as { madeTools: Record<string, unknown> };
  shared.madeTools = { a: tool('a'), b: tool('b') };

  it('takes default exports, exports named tools, lists and single tools', async () => {
    const modules = [
      write('list.mjs', 'export default [globalThis.madeTools.a];'),
      write('named.mjs', 'export const tools = globalThis.madeTools.b;'),
    ];
    const tools = await loadTools(modules, folder);
    expect(tools.all.map(({ ref }) => ref)).toStrictEqual(['a@1', 'b@1']);
    expect(tools.get('b@1')?.name).toBe('b');
    expect(tools.get('c@1')).toBeUndefined();
    expect(tools.catalogue().map(({ name }) => name)).toStrictEqual(['a', 'b']);
  });

  it.each([
    ['none.mjs', 'export const other = 1;', 'module "./none.mjs" has no tools'],
    ['empty.mjs', 'export default [];', 'module "./empty.mjs" has no tools'],
    ['odd.mjs', 'export default [{ name: "x" }];', 'entry 0 of the tools of module "./odd.mjs" was not made by'],
    ['broken.mjs', 'throw new Error("no settings");', 'tools from "./broken.mjs" cannot be loaded'],
  ])('refuses %s with its name', async (name, text, message) => {
    await expect(loadTools([write(name, text)], folder)).rejects.toThrow(message);
  });

  it('names a module that is not there and where it was looked for', async () =>
    expect(loadTools(['@nobody/has-this'], folder)).rejects.toThrow(
      `tools from "@nobody/has-this" cannot be loaded (looked in ${folder})`,
    ));

  it('refuses a tool that comes twice', async () => {
    const module = write('twice.mjs', 'export default [globalThis.madeTools.a];');
    await expect(loadTools([module, module], folder)).rejects.toThrow('tool a@1 is defined twice');
    expect(() => toolSet([tool('a'), tool('a')])).toThrow('tool a@1 is defined twice');
  });
});
