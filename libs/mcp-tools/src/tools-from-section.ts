import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import {
  checkSection,
  InvalidTool,
  systemClock,
  ToolsNotReady,
  type SectionSurroundings,
  type SectionTools,
  type Tool,
} from '@holdfast/sdk';
import { z } from 'zod';
import { sectionSchema, type ServerSettings } from './section/section.js';
import { pinSchema, type OfferedTool } from './server/offered.js';
import { McpServer } from './server/server.js';
import { endpointOf } from './to-endpoint.js';
import { makeTool } from './tool/make-tool.js';

type Section = Readonly<Record<string, ServerSettings>>;

/** The section `mcp:` checked. Throws `InvalidTool` with the place of each problem. */
export const readSection = (section: unknown): Section => checkSection('mcp', sectionSchema, section);

/**
 * The tools of all servers that a section names. A server with a pinned description is started when it is first needed,
 * every other one now. Throws `InvalidTool` where a description, a policy or a server is not what the section needs, and
 * `ToolsNotReady` where a server does not answer.
 */
export const toolsFromSection = async (section: unknown, around: SectionSurroundings): Promise<SectionTools> => {
  const settings = Object.entries(readSection(section));
  const servers: McpServer[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    const made = settings.map(([name, own]) => {
      const server = openServer(name, own, around);
      servers.push(server);
      return toolsOf(server, own, around);
    });
    return { tools: (await allOrFirst(made)).flat(), close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** A server as a section describes it; it is not started yet. */
export const openServer = (name: string, settings: ServerSettings, around: SectionSurroundings): McpServer => {
  const place = `mcp.${name} in ${basename(around.file)}`;
  try {
    const endpoint = endpointOf(settings, around.directory);
    const { startMs, concurrency } = settings;
    return new McpServer({ name, place, endpoint, startMs, concurrency }, { ...systemPorts, logger: around.logger });
  } catch (error) {
    throw new InvalidTool(`mcp.${name}: ${(error as Error).message}`, { cause: error });
  }
};
const systemPorts = { monotonic: () => systemClock.monotonic() };

const toolsOf = async (
  server: McpServer,
  settings: ServerSettings,
  around: SectionSurroundings,
): Promise<readonly Tool[]> => {
  const offered = settings.pin === undefined ? await described(server) : pinned(server, settings.pin, around);
  const wanted = chosen(server, settings, offered);
  server.expect(offered);
  return wanted.map((tool) => placed(`mcp.${server.options.name}`, () => makeTool({ server, settings }, tool)));
};

/** All problems of a tool say where it is configured. */
const placed = (at: string, make: () => Tool): Tool => {
  try {
    return make();
  } catch (error) {
    const { message } = error as Error;
    throw message.startsWith('mcp.') ? error : new InvalidTool(`${at}: ${message}`, { cause: error });
  }
};

const described = async (server: McpServer): Promise<readonly OfferedTool[]> => {
  try {
    return (await server.describe()).tools;
  } catch (error) {
    const { message, cause } = error as Error;
    const Kind = isNoProgram(cause) ? InvalidTool : ToolsNotReady;
    throw new Kind(
      `mcp.${server.options.name}: ${message}. Start it by hand to see more, or pin its description ` +
        `(holdfast tools inspect --pin), so that it is started only when it is called`,
      { cause: error },
    );
  }
};

/** What cannot be started at all does not come by waiting. */
const isNoProgram = (cause: unknown): boolean => {
  const { code, syscall = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  return (code === 'ENOENT' || code === 'EACCES') && syscall.startsWith('spawn');
};

const pinned = ({ options }: McpServer, pin: string, { directory }: SectionSurroundings): readonly OfferedTool[] => {
  const file = resolve(directory, pin);
  const problem = (reason: string): never => {
    throw new InvalidTool(
      `mcp.${options.name}.pin: the pinned description ${basename(file)} cannot be used: ${reason}. ` +
        `Make it with holdfast tools inspect ${options.name} --file … --pin ${pin}`,
    );
  };
  try {
    const checked = pinSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return checked.success ? checked.data.tools : problem(z.prettifyError(checked.error));
  } catch (error) {
    if (error instanceof InvalidTool) throw error;
    return problem((error as Error).message);
  }
};

/** The tools that are served, after a look at whether everything that is named is there. */
const chosen = (
  { options }: McpServer,
  { only, tools }: ServerSettings,
  offered: readonly OfferedTool[],
): readonly OfferedTool[] => {
  const names = new Set(offered.map(({ name }) => name));
  const readBacks = Object.values(tools).flatMap(({ readBack }) => (readBack === undefined ? [] : [readBack.tool]));
  const missing = [...(only ?? []), ...Object.keys(tools), ...readBacks].find((name) => !names.has(name));
  if (missing !== undefined) {
    const known = [...names].slice(0, 50).join(', ') || 'none';
    throw new InvalidTool(`mcp.${options.name}: the server has no tool ${missing}; it has ${known}`);
  }
  return only === undefined ? offered : offered.filter(({ name }) => only.includes(name));
};

/** Waits for all before it throws the first problem: nobody goes on opening what is closed already. */
const allOrFirst = async <T>(work: readonly Promise<T>[]): Promise<readonly T[]> => {
  const settled = await Promise.allSettled(work);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
};
