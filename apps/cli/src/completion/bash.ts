import { flagsOf, namesOf, walk, type Tree } from './tree.js';

/** A script for bash, in which nothing runs but the shell itself. */
export const bashCompletion = (root: Tree): string => {
  const commands = walk(root).slice(1);
  const valued = walk(root).flatMap(([, tree]) => tree.options.filter(({ takes }) => takes !== 'nothing'));
  const flags = [...new Set(valued.flatMap((option) => option.flags))];
  return `# bash completion of ${root.name}. Use it with: source <(${root.name} completion bash)
_${root.name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" at word known
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "$word" in
      ${flags.join('|')}) ((at++)); continue ;;
      -*) continue ;;
    esac
    case "$path/$word" in
${commands.map(([path, tree]) => pathCase(path, tree)).join('\n')}
    esac
  done
  case "$path $previous" in
${choiceCases(root)}
    ${flags.map((flag) => `*' ${flag}'`).join('|')}) return ;;
    *)
      case "$path" in
${walk(root)
  .map(
    ([path, tree]) =>
      `        '${path.map((part) => `/${part}`).join('')}') known='${wordsOf(root, path, tree).join(' ')}' ;;`,
  )
  .join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$known" -- "$current"))
}
complete -o default -F _${root.name} ${root.name}
`;
};

const pathCase = (path: readonly string[], tree: Tree): string => {
  const above = path
    .slice(0, -1)
    .map((part) => `/${part}`)
    .join('');
  const words = namesOf(tree).map((name) => `'${above}/${name}'`);
  return `      ${words.join('|')}) path='${above}/${tree.name}' ;;`;
};

/** After an option that takes one of some words. */
const choiceCases = (root: Tree): string =>
  walk(root)
    .flatMap(([path, tree]) =>
      tree.options.flatMap(({ flags, choices }) => {
        if (choices.length === 0) return [];
        const place = path.map((part) => `/${part}`).join('');
        return [`    ${flags.map((flag) => `'${place} ${flag}'`).join('|')}) known='${choices.join(' ')}' ;;`];
      }),
    )
    .join('\n');

const wordsOf = (root: Tree, path: readonly string[], tree: Tree): readonly string[] => [
  ...tree.commands.flatMap(namesOf),
  ...tree.words,
  ...new Set([...flagsOf(tree), ...(path.length === 0 ? [] : flagsOf(root))]),
];
