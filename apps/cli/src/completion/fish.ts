import { namesOf, walk, type Tree, type TreeOption } from './tree.js';

/** A script for fish. */
export const fishCompletion = (root: Tree): string => {
  const all = root.commands.flatMap(namesOf);
  const lines = [
    `# fish completion of ${root.name}. Use it with: ${root.name} completion fish | source`,
    `complete -c ${root.name} -f`,
    ...root.options.map((option) => line(root.name, '', option)),
    ...root.commands.flatMap((tree) =>
      namesOf(tree).map(
        (name) =>
          `complete -c ${root.name} -n 'not __fish_seen_subcommand_from ${all.join(' ')}' -a ${name} -d ${quoted(tree.description)}`,
      ),
    ),
    ...walk(root)
      .slice(1)
      .flatMap(([path, tree]) => ofCommand(root.name, path, tree)),
  ];
  return `${lines.join('\n')}\n`;
};

const ofCommand = (root: string, path: readonly string[], tree: Tree): readonly string[] => {
  const names = path.length === 1 ? namesOf(tree) : [tree.name];
  const seen = [...path.slice(0, -1).map((name) => [name]), names].map(
    (words) => `__fish_seen_subcommand_from ${words.join(' ')}`,
  );
  const when = ` -n '${seen.join('; and ')}'`;
  const below = tree.commands.map(
    ({ name, description }) => `complete -c ${root}${when} -a ${name} -d ${quoted(description)}`,
  );
  const words = tree.words.length === 0 ? [] : [`complete -c ${root}${when} -a ${quoted(tree.words.join(' '))}`];
  const files = tree.files ? [`complete -c ${root}${when} -F`] : [];
  return [...below, ...words, ...files, ...tree.options.map((option) => line(root, when, option))];
};

const line = (root: string, when: string, { flags, description, takes, choices }: TreeOption): string => {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const value = { nothing: '', value: ' -x', file: ' -r -F' }[takes];
  const words = choices.length === 0 ? '' : ` -a ${quoted(choices.join(' '))}`;
  return `complete -c ${root}${when} ${names.join(' ')}${value}${words} -d ${quoted(description)}`;
};

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
