import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import type { Script } from './script.js';
import { startModelServer } from './server.js';

type Options = {
  readonly script: string;
  readonly port: number;
  readonly host: string;
  readonly ledger?: string;
  readonly model?: readonly string[];
};

const command = new Command('model-server')
  .description('Speaks the chat completions and the messages API, and says what a script says. For tests and examples.')
  .requiredOption('--script <file>', 'a module whose default export is the function (request, n) => reply or fault')
  .option('--port <number>', '0 picks a free one', Number, 0)
  .option('--host <address>', 'where to listen', '127.0.0.1')
  .option('--ledger <file>', 'JSON lines: every request; goes on being counted where the file ends')
  .option('--model <name...>', 'the models that are offered (default: any)')
  .addHelpText('after', '\nWhere MODEL_SERVER_KEY is set, requests must bring it as their key.');

const { script: file, port, host, ledger, model: models } = command.parse().opts<Options>();
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  command.error('error: --port must be a number from 0 to 65535');

const scriptOf = async (): Promise<Script> => {
  const path = resolve(file);
  const module = await import(pathToFileURL(path).href).catch((error: Error) =>
    command.error(`error: the script ${path} cannot be loaded: ${error.message}`),
  );
  const { default: script } = module as { default?: unknown };
  if (typeof script === 'function') return script as Script;
  return command.error(`error: the script ${path} must export a function as its default`);
};

const key = process.env['MODEL_SERVER_KEY'];
const server = await startModelServer({
  script: await scriptOf(),
  port,
  host,
  ...(ledger === undefined ? {} : { ledger }),
  ...(key === undefined || key === '' ? {} : { key }),
  ...(models === undefined ? {} : { models }),
}).catch((error: Error) => command.error(`error: ${error.message}`));

console.log(
  JSON.stringify({ time: Date.now(), msg: 'ready', url: server.url, httpPort: Number(new URL(server.url).port) }),
);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.close());
