import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NO_END } from './exploration/configurations.js';
import { invariantNames } from './exploration/world/breach.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

type Named = { readonly promise: string; readonly name: string };

/** The paragraphs and list entries under each promise, each on one line. */
const said = textOf('docs/guarantees.md')
  .split(/^### /m)
  .slice(1)
  .flatMap((section) => {
    const [promise = '', ...blocks] = section
      .replace(/^## [^]*/m, '')
      .split(/\n\n|\n(?=- )/)
      .map((block) => block.replace(/\s+/g, ' ').trim());
    return blocks.map((text) => ({ promise, text }));
  });

const tests = said.flatMap(({ text }) => {
  const [, path, title] = /^- `([^`]+)` › (.+)$/.exec(text) ?? [];
  return path === undefined || title === undefined ? [] : [{ path, title }];
});

const namesIn = (which: 0 | 1): readonly Named[] =>
  said
    .filter(({ text }) => text.startsWith('Search:'))
    .flatMap(({ promise, text }) => {
      const names = text.split('; explored:')[which]?.matchAll(/`([^`]+)`/g) ?? [];
      return [...names].map(([, name = '']) => ({ promise, name }));
    });
const searched = namesIn(0);
const explored = namesIn(1);

const SIMULATION = 'test/simulation/invariants/';
const simulated = new Set(
  readdirSync(`${root}${SIMULATION}`).flatMap((file) =>
    [...textOf(`${SIMULATION}${file}`).matchAll(/\bviolated\(\s*'(\w+)'/g)].map(([, name = '']) => name),
  ),
);

/** A test is named whole, except that a remark in brackets may follow. */
const isIn = (path: string, title: string): boolean =>
  [title, title.replace(/ \([^()]*\)$/, '')].some((whole) =>
    [`'${whole.replaceAll("'", "\\'")}'`, `"${whole}"`, `\`${whole}\``].some((quoted) => textOf(path).includes(quoted)),
  );

const differences = (named: readonly Named[], asked: readonly string[]): readonly string[] => [
  ...named
    .filter(({ name }) => !asked.includes(name))
    .map(({ promise, name }) => `nothing asks for ${name}, which docs/guarantees.md names under "${promise}"`),
  ...asked
    .filter((name) => named.every((entry) => entry.name !== name))
    .map((name) => `docs/guarantees.md must name ${name} under the promise that it is about`),
];

describe('what the guarantees name', () => {
  it('is found in the document at all', () => {
    expect(tests.length).toBeGreaterThan(60);
    expect(simulated.size).toBeGreaterThan(30);
  });

  it.each(tests)('$path › $title is a test', ({ path, title }) => expect(isIn(path, title)).toBe(true));

  it('is asked by the simulation, all of it', () => {
    expect(differences(searched, [...simulated])).toEqual([]);
  });

  it('is asked by the exploration, all of it', () => {
    expect(differences(explored, [...invariantNames, NO_END])).toEqual([]);
  });
});
