import {
  InvalidTool,
  loadTools,
  toolSet,
  type Logger,
  type SectionTools,
  type Tool,
  type ToolSet,
} from '@holdfast/sdk';
import { importLibrary, type FindLibrary } from './sections.js';
import { readToolFile } from './tool-file.js';

export type Loading = {
  readonly logger: Logger;
  /** Where paths begin; default the working directory. */
  readonly cwd?: string;
  /** What makes tools out of a section; default the library of that section. */
  readonly library?: FindLibrary;
};

/** `close` ends what tools keep open; no tool may be called any more by then. */
export type LoadedTools = { readonly tools: ToolSet; readonly close: () => Promise<void> };

/** Whether a name in `HOLDFAST_TOOLS` is a tool file and not a module. */
export const isToolFile = (name: string): boolean => /\.(?:ya?ml|json)$/i.test(name);

/**
 * The tools of modules and of tool files, in the order in which they are named. Throws `InvalidTool` naming the module
 * or the file and the line; what was opened until then is closed again.
 */
export const loadToolsAndFiles = async (names: readonly string[], loading: Loading): Promise<LoadedTools> => {
  const opened: SectionTools[] = [];
  const close = async (): Promise<void> =>
    void (await Promise.all(opened.map((section) => closed(section, loading.logger))));
  try {
    const tools: Tool[] = [];
    for (const name of names) {
      if (isToolFile(name)) tools.push(...(await toolsOf(name, loading, opened)));
      else tools.push(...(await loadTools([name], loading.cwd)).all);
    }
    return { tools: toolSet(tools), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const toolsOf = async (file: string, loading: Loading, opened: SectionTools[]): Promise<readonly Tool[]> => {
  const { cwd = process.cwd(), library = importLibrary, logger } = loading;
  const tools: Tool[] = [];
  for (const section of await readToolFile(file, { cwd, library, logger })) {
    const made = await section.open();
    opened.push(made);
    tools.push(...made.tools);
  }
  if (tools.length === 0) throw new InvalidTool(`tool file "${file}" has no tools`);
  return tools;
};

/** What cannot be closed must not keep the rest from being closed. */
const closed = async (section: SectionTools, logger: Logger): Promise<void> => {
  try {
    await section.close?.();
  } catch (error) {
    logger.warn({ err: error }, 'tools of a tool file could not be closed');
  }
};
