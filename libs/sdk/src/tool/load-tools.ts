import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isTool } from './define-tool.js';
import { InvalidTool } from './invalid-tool.js';
import { toolSet, type ToolSet } from './tool-set.js';
import type { Tool } from './tool.js';

/**
 * Imports modules by path (from `cwd`) or package name and collects their tools: a default export or an export `tools`,
 * each an array or one tool. Throws `InvalidTool` naming the module when it cannot be imported, holds no tool, or brings
 * a tool twice.
 */
export const loadTools = async (modules: readonly string[], cwd: string = process.cwd()): Promise<ToolSet> => {
  const tools: Tool[] = [];
  for (const name of modules) tools.push(...toolsOf(name, await load(name, cwd)));
  return toolSet(tools);
};

const load = async (name: string, cwd: string): Promise<Record<string, unknown>> => {
  try {
    return (await import(locate(name, cwd))) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidTool(`tools from "${name}" cannot be loaded (looked in ${cwd}): ${reason}`, { cause: error });
  }
};

const locate = (name: string, cwd: string): string => {
  const path = resolve(cwd, name);
  if (name.startsWith('.') || name.startsWith('/') || existsSync(path)) return pathToFileURL(path).href;
  try {
    return pathToFileURL(createRequire(resolve(cwd, 'package.json')).resolve(name)).href;
  } catch {
    // Packages for `import` alone are not found by `require`; Node then looks from here.
    return name;
  }
};

const toolsOf = (name: string, module: Record<string, unknown>): readonly Tool[] => {
  const exported = module['tools'] ?? module['default'];
  const list: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  if (list.length === 0 || exported === undefined) {
    throw new InvalidTool(`module "${name}" has no tools; export a list: export default [myTool]`);
  }
  return list.map((value, index) => {
    if (isTool(value)) return value;
    throw new InvalidTool(`entry ${index} of the tools of module "${name}" was not made by defineTool`);
  });
};
