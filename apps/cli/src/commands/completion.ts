import { Argument, type Command } from 'commander';
import type { Action } from '../action.js';
import { bashCompletion } from '../completion/bash.js';
import { fishCompletion } from '../completion/fish.js';
import { treeOf, type Tree } from '../completion/tree.js';
import { zshCompletion } from '../completion/zsh.js';
import { EXIT, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];
const scripts: Readonly<Record<Shell, (tree: Tree) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Made of the commands themselves, so that it knows each of them. */
export const addCompletion = (program: Command, action: Action): void => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'whose script is printed').choices(shells))
    .description('print a script that completes commands and options in a shell: source <(holdfast completion bash)')
    .action(action((session, shell) => Promise.resolve(completion(session, program, shell as Shell))));
};

const completion = ({ output }: Session, program: Command, shell: Shell): ExitCode => {
  const script = scripts[shell](treeOf(program));
  output.data({ kind: 'completion', shell, script });
  output.say(script.trimEnd());
  return EXIT.ok;
};
