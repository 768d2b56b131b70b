import { InvalidArgumentError, type Command } from 'commander';
import type { Action } from '../action.js';

export const addTools = (program: Command, action: Action): void => {
  const tools = program.command('tools').description('what tools are made of');
  tools
    .command('inspect [server...]')
    .description(
      'ask an MCP server for its tools: a command after --, --url, or with --file its name there; prints a draft of its section',
    )
    .option('--file <file>', 'the tool file that names the server')
    .option('--url <url>', 'a server over HTTP')
    .option('--header <name: value>', 'a header for --url, with ${env:NAME} for secrets; may be repeated', header)
    .option('--name <name>', 'how the server is to be called; as it calls itself unless told')
    .option('--pin <file>', 'write its description there, for pin: in the section')
    .action((words: readonly string[], options: object) =>
      action(async (session, _: string, given: import('./tools.js').InspectArguments) => {
        // Loaded when it is asked for: the other commands need nothing of it.
        const { inspect } = await import('./tools.js');
        return inspect(session, words, given);
      })(undefined, options),
    );
};

const header = (text: string, known: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  const at = text.indexOf(':');
  if (at < 1) throw new InvalidArgumentError('give it as "name: value"');
  return { ...known, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
};
