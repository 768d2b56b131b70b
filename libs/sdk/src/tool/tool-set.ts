import type { CatalogueEntry } from '@holdfast/contracts';
import { InvalidTool } from './invalid-tool.js';
import type { Tool } from './tool.js';

/** The tools that a process serves. */
export type ToolSet = {
  /** By `name@version`. */
  get(ref: string): Tool | undefined;
  readonly all: readonly Tool[];
  catalogue(): readonly CatalogueEntry[];
};

/** Refuses two tools of one name and version with `InvalidTool`. */
export const toolSet = (tools: readonly Tool[]): ToolSet => {
  const byRef = new Map<string, Tool>();
  for (const tool of tools) {
    if (byRef.has(tool.ref))
      throw new InvalidTool(`tool ${tool.ref} is defined twice; give one of them another version`);
    byRef.set(tool.ref, tool);
  }
  const all = [...byRef.values()];
  return { get: (ref) => byRef.get(ref), all, catalogue: () => all.map((tool) => tool.catalogueEntry()) };
};
