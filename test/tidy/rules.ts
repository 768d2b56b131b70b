import { dirname, join } from 'node:path';
import { codeOnly, withoutComments, type SourceFile } from './files.js';
import { laws, pureFile, pureImports } from './law.js';

/** Something that every file of a kind must be. `find` says what is wrong with one, in words a person can act on. */
export type Rule = {
  readonly name: string;
  readonly applies: (path: string) => boolean;
  readonly find: (file: SourceFile) => readonly string[];
};

const linesMax = 300;

const isSpec = (path: string): boolean => path.endsWith('.spec.ts') || path.startsWith('test/');
const isSource = (path: string): boolean => /\.tsx?$/.test(path) && !isSpec(path);
const isTidy = (path: string): boolean => path.startsWith('test/tidy');

/** The package a path belongs to: two folders deep, but `bench` is one itself. */
const packageOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('bench/') ? 1 : 2)
    .join('/');

const importsOf = (text: string): string[] =>
  [...withoutComments(text).matchAll(/\b(?:from|import)\s*\(?\s*['"]([@.\w][\w@./:-]*)['"]/g)].map(
    ([, name]) => name ?? '',
  );

const matches = (name: string, allowed: readonly (string | RegExp)[]): boolean =>
  allowed.some((one) => (typeof one === 'string' ? one === name : one.test(name)));

const importLaw: Rule = {
  name: 'imports only what its package is allowed to',
  applies: (path) => isSource(path),
  find: ({ path, text }) => {
    const allowed = laws.find(({ folder }) => folder.test(path))?.allows ?? [];
    const own = `${packageOf(path)}/`;
    return importsOf(text).flatMap((name) => {
      if (!name.startsWith('.')) return matches(name, allowed) ? [] : [`must not import ${name}`];
      return join(dirname(path), name).startsWith(own) ? [] : [`reaches into another package with ${name}`];
    });
  },
};

const impure =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandomUUID\b|\bawait\b|\bprocess\.|\bperformance\.now\b|\bset(Timeout|Interval|Immediate)\b/g;

const purity: Rule = {
  name: 'stays pure where it decides',
  applies: (path) => pureFile.test(path) && !isSpec(path),
  find: ({ text }) => [
    ...importsOf(text)
      .filter((name) => !name.startsWith('.') && !matches(name, pureImports))
      .map((name) => `is pure and must not import ${name}`),
    ...[...codeOnly(text).matchAll(impure)].map(([word]) => `is pure and must not use ${word}`),
  ],
};

const kafkaFree: Rule = {
  name: 'knows nothing of Kafka in libs/events and libs/programs',
  applies: (path) => /^libs\/(events|programs)\//.test(path) && isSource(path),
  find: ({ text }) => found(codeOnly(text), /kafka|\bbrokers?\b|\bconsumers?\b|\bproducers?\b/gi, 'must not speak of'),
};

const fileLength: Rule = {
  name: `is at most ${linesMax} lines long`,
  applies: isSource,
  find: ({ text }) => {
    const lines = text.trimEnd().split('\n').length;
    return lines > linesMax ? [`has ${lines} lines: split it by what its parts are about`] : [];
  },
};

const unfinished: Rule = {
  name: 'leaves nothing marked as unfinished',
  applies: (path) => !isTidy(path),
  find: ({ text }) => found(text, /\b(TODO|FIXME|XXX|HACK)\b/g, 'finish or drop what is marked'),
};

const allTestsRun: Rule = {
  name: 'runs all its tests',
  applies: (path) => isSpec(path) && !isTidy(path),
  find: ({ text }) =>
    found(codeOnly(text), /\b(it|test|describe)(\.\w+)*\.(skip|only|todo)\b|\b[xf](it|describe)\(/g, 'must not use'),
};

const noSleeps: Rule = {
  name: 'waits for something, never for time',
  applies: (path) => path.endsWith('.spec.ts') && !isTidy(path),
  find: ({ text }) =>
    found(codeOnly(text), /\bsetTimeout\(\s*(resolve|done|r)\b/g, 'poll for what is awaited instead of'),
};

const machineWords =
  /(?<![\w.@-])\/(work|root|home\/\w+|Users\/\w+)\/[\w.-]+|\b(registry\.npmjs\.org|registry\.yarnpkg\.com|repo1?\.maven\.(apache\.)?org)\b|^\s*(@\w+:)?registry\s*=/gm;

const anyMachine: Rule = {
  name: 'names no place on one machine and no registry',
  applies: (path) => !isTidy(path),
  find: ({ text }) => found(text, machineWords, 'holds only here'),
};

const noConsole: Rule = {
  name: 'logs through the logger',
  applies: (path) => isSource(path) && !/^(apps\/cli|tools|examples|bench)\//.test(path),
  find: ({ text }) => found(codeOnly(text), /\bconsole\.\w+/g, 'must not use'),
};

const found = (text: string, pattern: RegExp, what: string): string[] =>
  [...text.matchAll(pattern)].map(([match]) => `${what}: ${match.trim()}`);

export const rules = {
  importLaw,
  purity,
  kafkaFree,
  fileLength,
  unfinished,
  allTestsRun,
  noSleeps,
  anyMachine,
  noConsole,
} as const;

/** All breaches of a rule, each as `path: what is wrong`. */
export const breaches = (rule: Rule, files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path }) => rule.applies(path))
    .flatMap((file) => rule.find(file).map((what) => `${file.path}: ${what}`));
