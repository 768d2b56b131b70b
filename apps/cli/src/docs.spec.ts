import { readFileSync } from 'node:fs';
import { createProgram } from './cli.js';
import { treeOf, walk, type Tree } from './completion/tree.js';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const around = {
  out: { write: () => undefined },
  err: { write: () => undefined },
  env: {},
  connect: () => Promise.reject(new Error('is not asked for')),
  interrupted: () => new AbortController().signal,
};
const commands = walk(treeOf(createProgram(around, () => undefined)));
const longFlags = (tree: Tree): readonly string[] =>
  tree.options.flatMap(({ flags }) => flags).filter((flag) => flag.startsWith('--'));

describe('docs/cli.md', () => {
  it.each(commands.slice(1).map(([path, tree]) => ({ command: path.join(' '), tree })))(
    'has holdfast $command with its options',
    ({ command, tree }) => {
      expect(page).toMatch(new RegExp(`\`${command}[ \`(]`));
      for (const flag of longFlags(tree)) expect(page).toContain(flag);
    },
  );

  it('has the options of all commands', () => {
    for (const flag of longFlags(commands[0]?.[1] as Tree)) expect(page).toContain(flag);
  });
});
