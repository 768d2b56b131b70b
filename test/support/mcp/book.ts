import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@holdfast/dev';
import { openServer, readSection, toolsFromSection, type ServerSettings } from '@holdfast/mcp-tools';
import { silentLogger, type SectionTools, type Tool } from '@holdfast/sdk';

/** A server that keeps a book, and does to each call what the call says. */
export const program = fileURLToPath(new URL('./server.mjs', import.meta.url));
export let folder: string;
export let book: string;
export let opened: SectionTools[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  book = join(folder, 'book');
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map(async (one) => one.close?.()));
  rmSync(folder, { recursive: true });
});

export const NOTE = {
  policy: 'verifiable',
  settleMs: 0,
  readBack: {
    tool: 'look',
    args: { name: '{args.name}' },
    rules: [
      { at: 'structured.count', equals: 0, verdict: 'absent' },
      { at: 'structured.found[0].text', equals: '{args.text}', verdict: 'applied' },
    ],
    result: { lines: '{answer.structured.count}' },
  },
};
const READS = Object.fromEntries(
  ['look', 'say', 'fail', 'big', 'deep', 'picture', 'noise', 'ask', 'change'].map((name) => [
    name,
    { policy: 'repeatable' },
  ]),
);

type More = { readonly env?: object; readonly tools?: object; readonly logger?: typeof silentLogger } & {
  readonly [setting: string]: unknown;
};
export const open = async ({ env = {}, tools = {}, logger = silentLogger, ...more }: More = {}) => {
  const book1 = {
    command: process.execPath,
    args: [program],
    env: { BOOK: book, ...env },
    version: '1',
    callMs: 5_000,
    ...more,
    tools: { note: NOTE, ...READS, ...tools },
  };
  const made = await toolsFromSection({ book: book1 }, { file: 'tools.yaml', directory: folder, logger });
  opened.push(made);
  return (name: string): Tool => made.tools.find((tool) => tool.name === `book.${name}`) as Tool;
};
export const lines = (): readonly unknown[] =>
  readFileSync(book, { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

export const note = (...conduct: string[]) => ({ name: 'n', text: 'hello', conduct });

/** Asks until there is an answer: what waits for a back-off is refused until it is over. */
export const untilAsked = <T extends { readonly verdict: string }>(ask: () => Promise<T>): Promise<T> =>
  eventually('there is an answer', async () => {
    const asked = await ask();
    return asked.verdict === 'unknown' ? null : asked;
  }) as Promise<T>;

/** The tools by a description that was made while the server was well. */
export const pinnedIn = async (file: string, more: More, edit: (pin: string) => string = (pin) => pin) => {
  const settings = readSection({ book: { command: process.execPath, args: [program], version: '1' } })['book'];
  const server = openServer('book', settings as ServerSettings, { file: 'f', directory: folder, logger: silentLogger });
  writeFileSync(file, edit(JSON.stringify(await server.describe())));
  await server.close();
  return open(more);
};
