import type { Argument, Command, Option } from 'commander';

/** What a shell can complete of one command. */
export type Tree = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly options: readonly TreeOption[];
  /** Words that its arguments may be. */
  readonly words: readonly string[];
  /** An argument of it is a file. */
  readonly files: boolean;
  readonly commands: readonly Tree[];
};
export type TreeOption = {
  /** `--json`, and `-h` where there is a short one. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takes: 'nothing' | 'value' | 'file';
  readonly choices: readonly string[];
};

export const treeOf = (command: Command): Tree => ({
  name: command.name(),
  aliases: command.aliases(),
  description: command.description(),
  options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), HELP],
  words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  files: command.registeredArguments.some(isFile),
  commands: command.commands.map(treeOf),
});

const HELP: TreeOption = { flags: ['--help', '-h'], description: 'show help', takes: 'nothing', choices: [] };

const optionOf = ({ long, short, description, flags, required, optional, argChoices }: Option): TreeOption => ({
  flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
  description,
  takes: !required && !optional ? 'nothing' : /file|module/.test(flags) ? 'file' : 'value',
  choices: argChoices ?? [],
});

const isFile = (argument: Argument): boolean => argument.name() === 'file' || argument.name() === 'plan';

export const namesOf = ({ name, aliases }: Tree): readonly string[] => [name, ...aliases];
export const flagsOf = (tree: Tree): readonly string[] => tree.options.flatMap(({ flags }) => flags);

/** Every command with the words that lead to it, those above first. */
export const walk = (tree: Tree, path: readonly string[] = []): readonly (readonly [readonly string[], Tree])[] => [
  [path, tree],
  ...tree.commands.flatMap((command) => walk(command, [...path, command.name])),
];
