import { resolve } from 'node:path';
import { Command } from 'commander';

export type AgentOptions = {
  readonly documents: string | null;
  readonly kill: boolean;
  readonly killAtEachStep: boolean;
  readonly report: string | null;
  readonly model: string;
  readonly ask: boolean;
};

/** Reads the command line. Ends the process with help or with what is wrong. */
export const parseOptions = (argv: readonly string[]): AgentOptions => {
  const command = new Command('npm run example:agent --')
    .description(
      'An agent reads contracts over an MCP server and files what it finds. Its worker is killed in the middle.\n' +
        'Without OPENAI_API_KEY a scripted model answers, offline; with it, and OPENAI_BASE_URL for other endpoints than\n' +
        "OpenAI's own, a real one.",
    )
    .option('--documents <folder>', 'what is read (default: the four contracts of the example)')
    .option('--no-kill', 'kill nothing')
    .option('--kill-at-each-step', 'one run for each step, with its worker killed there')
    .option('--report <file>', 'writes what was counted as JSON')
    .option('--model <name>', 'which model of a real endpoint', 'gpt-5-mini')
    .option('--ask', 'leave the approval to you, on the command line')
    .action(() => undefined);
  const { documents, kill, killAtEachStep, report, model, ask } = command.parse([...argv], { from: 'user' }).opts<{
    documents?: string;
    kill: boolean;
    killAtEachStep?: boolean;
    report?: string;
    model: string;
    ask?: boolean;
  }>();
  if (killAtEachStep === true && process.env['OPENAI_API_KEY'] !== undefined) {
    command.error('error: --kill-at-each-step counts with the scripted model: unset OPENAI_API_KEY');
  }
  return {
    documents: documents === undefined ? null : resolve(documents),
    kill,
    killAtEachStep: killAtEachStep === true,
    report: report === undefined ? null : resolve(report),
    model,
    ask: ask === true,
  };
};
