import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { inspectServer, type Inspected, type RawServer } from '@holdfast/mcp-tools';
import type { Json } from '@holdfast/programs';
import { InvalidTool, isToolFailure, silentLogger } from '@holdfast/sdk';
import { count } from '@holdfast/words';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { programSource } from '../source/source.js';
import { columns } from '../table.js';

export type InspectArguments = {
  readonly file?: string;
  readonly url?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly pin?: string;
};

/** Starts an MCP server or reaches it, and says what its tools are and how a tool file could name them. */
export const inspect = async (
  session: Session,
  words: readonly string[],
  options: InspectArguments,
): Promise<ExitCode> => {
  const { output } = session;
  const { name, raw } = await wanted(words, options);
  const directory = options.file === undefined ? process.cwd() : dirname(resolve(options.file));
  const found = await asked(name, raw, { file: options.file ?? 'the command line', directory });
  tell(session, found);
  if (options.pin === undefined) return EXIT.ok;
  await writeFile(options.pin, `${JSON.stringify(found.pin, null, 2)}\n`);
  output.note(`The description of ${found.name} is in ${options.pin}.`);
  return EXIT.ok;
};

const tell = ({ output }: Session, { name, pin, suggestions, draft }: Inspected): void => {
  const { server, tools } = pin;
  const described = new Map(tools.map((tool) => [tool.name, tool]));
  for (const suggestion of suggestions) {
    const { description, annotations, inputSchema } = described.get(suggestion.tool) ?? {};
    output.data({ kind: 'mcp_tool', server: name, ...suggestion, description, annotations, inputSchema });
  }
  output.data({ kind: 'mcp_section', server: name, draft });
  if (output.json) return;
  output.note(`${server.name} ${server.version}: ${count(tools.length, 'tool')}. Hints are the server's own words.\n`);
  const rows = suggestions.map(({ tool, hints, policy, decided, remark }) => [
    tool,
    hints.join(', ') || '-',
    decided ? `${policy} (decided)` : policy,
    remark || '-',
  ]);
  output.note(`${columns(['TOOL', 'HINTS', 'POLICY', 'OR'], rows)}\n`);
  output.say(draft.trimEnd());
};

type Wanted = { readonly name: string | null; readonly raw: RawServer };

const wanted = async (words: readonly string[], options: InspectArguments): Promise<Wanted> => {
  const { file, url, header, name = null } = options;
  const ways = [file !== undefined, url !== undefined, file === undefined && words.length > 0].filter(Boolean);
  if (ways.length !== 1 || (url !== undefined && words.length > 0)) {
    throw usage('say which server: -- command arguments…, or --url, or --file with its name', 'See docs/mcp.md.');
  }
  if (header !== undefined && url === undefined) throw usage('--header belongs to --url', 'Leave it out.');
  if (url !== undefined)
    return { name, raw: { url, ...(header === undefined ? {} : { headers: header }), version: '1' } };
  if (file !== undefined) return fromFile(file, words);
  const [command = '', ...args] = words;
  return { name, raw: { command, ...(args.length === 0 ? {} : { args }), version: '1' } };
};

const fromFile = async (file: string, words: readonly string[]): Promise<Wanted> => {
  const { value } = await programSource(file, 'the tool file');
  const section = (value as { readonly [name: string]: Json } | null)?.['mcp'] ?? {};
  const servers = Object.keys(section);
  const [name, ...more] = words.length === 0 && servers.length === 1 ? servers : words;
  const raw = (section as { readonly [name: string]: RawServer })[name ?? ''];
  if (name !== undefined && more.length === 0 && raw !== undefined) return { name, raw };
  const which = name === undefined ? `${file} names several servers` : `${file} has no MCP server ${words.join(' ')}`;
  throw usage(which, `Name one of: ${servers.join(', ') || 'none, it has no section mcp'}.`);
};

const asked = async (
  name: string | null,
  raw: RawServer,
  around: { readonly file: string; readonly directory: string },
): Promise<Inspected> => {
  try {
    return await inspectServer(name, raw, { ...around, logger: silentLogger });
  } catch (error) {
    if (error instanceof InvalidTool) throw usage(error.message, 'See docs/mcp.md.');
    if (!isToolFailure(error)) throw error;
    throw new Problem(EXIT.unreachable, (error as Error).message, 'Start it by hand to see what it says.');
  }
};

const usage = (message: string, advice: string): Problem => new Problem(EXIT.usage, message, advice);
