import { namesOf, walk, type Tree, type TreeOption } from './tree.js';

/** A script for zsh, in which nothing runs but the shell itself. */
export const zshCompletion = (root: Tree): string => `#compdef ${root.name}
# zsh completion of ${root.name}. Use it with: source <(${root.name} completion zsh)
_${root.name}() {
  local place="" word
  for word in \${words[2,$((CURRENT - 1))]}; do
    case "$place/$word" in
${walk(root)
  .slice(1)
  .map(([path, tree]) => placeCase(path, tree))
  .join('\n')}
    esac
  done
  local previous="\${words[$((CURRENT - 1))]}"
  local -a commands options choices
  case "$place $previous" in
${walk(root)
  .flatMap(([path, tree]) => tree.options.map((option) => choiceCase(path, option)))
  .filter((line) => line !== '')
  .join('\n')}
  esac
  case "$place" in
${walk(root)
  .map(([path, tree]) => placeWords(root, path, tree))
  .join('\n')}
  esac
}
compdef _${root.name} ${root.name}
`;

const placeOf = (path: readonly string[]): string => path.map((part) => `/${part}`).join('');

const placeCase = (path: readonly string[], tree: Tree): string => {
  const above = placeOf(path.slice(0, -1));
  const words = namesOf(tree).map((name) => `'${above}/${name}'`);
  return `      (${words.join('|')}) place='${above}/${tree.name}' ;;`;
};

const choiceCase = (path: readonly string[], { flags, choices, takes }: TreeOption): string => {
  const words = flags.map((flag) => `'${placeOf(path)} ${flag}'`).join('|');
  if (choices.length > 0) {
    return `    (${words}) choices=(${choices.map(quoted).join(' ')}); _describe -t values value choices; return ;;`;
  }
  return takes === 'file' ? `    (${words}) _files; return ;;` : '';
};

const placeWords = (root: Tree, path: readonly string[], tree: Tree): string => {
  const options = [
    ...tree.options,
    ...(path.length === 0 ? [] : root.options.filter(({ flags }) => !flags.includes('-h'))),
  ];
  const commands = [
    ...tree.commands.flatMap((one) => namesOf(one).map((name) => described(name, one.description))),
    ...tree.words.map((word) => described(word, '')),
  ];
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.description)));
  return `    ('${placeOf(path)}')
      commands=(${commands.join(' ')})
      options=(${flags.join(' ')})
      (( \${#commands} )) && _describe -t commands command commands
      _describe -o -t options option options${tree.files ? '\n      _files' : ''} ;;`;
};

const described = (word: string, description: string): string =>
  quoted(description === '' ? word : `${word}:${description}`);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
