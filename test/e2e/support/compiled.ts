import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dataDir, repositoryRoot } from '@holdfast/dev';
import { transformFileSync } from '@swc/core';

const sources = join(repositoryRoot, 'test', 'e2e', 'support', 'programs');
let folder: string | null = null;

/** The path of a support program as JavaScript that services can load. Compiled once per test process. */
export const compiledProgram = (name: string): string => {
  folder ??= compileAll();
  return join(folder, `${name}.js`);
};

const compileAll = (): string => {
  // Below the repository's root, so that its packages are found from there.
  const into = dataDir('e2e-programs');
  mkdirSync(into, { recursive: true });
  for (const file of readdirSync(sources)) {
    const { code } = transformFileSync(join(sources, file), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    writeFileSync(join(into, `${basename(file, '.ts')}.js`), code);
  }
  return into;
};
