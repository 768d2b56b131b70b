/**
 * Gives every package with a `tsconfig.json` the Nx target `build`.
 *
 * The compiler builds what a package refers to by itself; Nx adds the cache and builds what does not depend on each
 * other at the same time. What a build reads and writes is said in `nx.json`.
 */
import { dirname } from 'node:path';

export const name = 'holdfast-build';

export const createNodesV2 = [
  '{{libs,apps,tools,examples}/*,bench}/tsconfig.json',
  (files) =>
    files.map((file) => [file, { projects: { [dirname(file)]: { targets: { build: build(dirname(file)) } } } }]),
];

/** The console is a page: it is bundled out of sources, its types are checked with the tests. */
const build = (root) => ({
  executor: 'nx:run-commands',
  options: { command: root === 'apps/console' ? `vite build ${root}` : `tsc -b ${root}` },
});
