import { allFiles, codeOnly, withoutComments } from './tidy/files.js';
import { breaches, rules } from './tidy/rules.js';

const files = allFiles();

describe('every file of the repository', () => {
  it.each(Object.values(rules))('$name', (rule) => {
    expect(breaches(rule, files)).toEqual([]);
  });

  it('is looked at', () => {
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['package.json', '.ci/run', '.npmrc', 'libs/events/src/index.ts']));
    expect(paths.filter((path) => /node_modules|\/dist\//.test(path))).toEqual([]);
  });
});

/** What is planted, where, and whether the rule must bite. A rule that never bites is worth nothing. */
const planted: readonly [keyof typeof rules, 'bites' | 'passes', string, string][] = [
  ['importLaw', 'bites', 'apps/executor/src/a.ts', "import { b } from '../../coordinator/src/b.js';"],
  ['importLaw', 'bites', 'apps/executor/src/a.ts', "import { Kafka } from 'kafkajs';"],
  ['importLaw', 'bites', 'apps/executor/src/a.ts', "export { b } from '@holdfast/coordinator';"],
  ['importLaw', 'bites', 'libs/events/src/a.ts', "import { readFileSync } from 'node:fs';"],
  ['importLaw', 'bites', 'libs/events/src/a.ts', "import type { Log } from '@holdfast/log';"],
  ['importLaw', 'bites', 'libs/log/src/memory/a.ts', "const kafka = await import('kafkajs');"],
  ['importLaw', 'bites', 'libs/new/src/a.ts', "import 'zod';"],
  ['importLaw', 'bites', 'apps/console/src/a.tsx', "import { Log } from '@holdfast/log';"],
  ['importLaw', 'passes', 'libs/log/src/kafka/a.ts', "import { Kafka } from 'kafkajs';"],
  ['importLaw', 'passes', 'apps/executor/src/a/b.ts', "import { z } from 'zod'; import { c } from '../c.js';"],
  ['importLaw', 'passes', 'apps/executor/src/a.ts', "// import { Kafka } from 'kafkajs';"],
  ['purity', 'bites', 'apps/coordinator/src/run/run.decide.ts', 'const at = Date.now();'],
  ['purity', 'bites', 'apps/coordinator/src/run/run.decide.ts', 'const at = new Date();'],
  ['purity', 'bites', 'apps/coordinator/src/run/run.react.ts', "import { createHash } from 'node:crypto';"],
  ['purity', 'bites', 'apps/executor/src/step/step.machine.ts', 'await log.append(batch);'],
  ['purity', 'bites', 'libs/programs/src/ready.ts', 'if (Math.random() > 0.5) return;'],
  ['purity', 'passes', 'apps/coordinator/src/run/run.decide.ts', 'const due = new Date(at).toISOString();'],
  [
    'purity',
    'passes',
    'apps/coordinator/src/run/run.decide.ts',
    "// never Date.now()\nconst text = 'we await an answer';",
  ],
  ['purity', 'passes', 'apps/coordinator/src/run.handler.ts', 'await log.append(batch);'],
  ['kafkaFree', 'bites', 'libs/events/src/a.ts', 'export type KafkaRecord = { offset: number };'],
  ['kafkaFree', 'passes', 'libs/events/src/a.ts', "/** Kafka's murmur2. */\nexport const hash = 1;"],
  ['fileLength', 'bites', 'libs/events/src/a.ts', 'x;\n'.repeat(301)],
  ['fileLength', 'passes', 'libs/events/src/a.ts', 'x;\n'.repeat(300)],
  ['fileLength', 'passes', 'libs/events/src/a.spec.ts', 'x;\n'.repeat(301)],
  ['unfinished', 'bites', 'docs/guarantees.md', 'TODO: say more'],
  ['unfinished', 'bites', 'libs/events/src/a.ts', '// FIXME later'],
  ['allTestsRun', 'bites', 'libs/events/src/a.spec.ts', "it.only('a', () => {});"],
  ['allTestsRun', 'bites', 'libs/events/src/a.spec.ts', "describe.skip('a', () => {});"],
  ['allTestsRun', 'bites', 'libs/events/src/a.spec.ts', "xit('a', () => {});"],
  ['allTestsRun', 'passes', 'libs/events/src/a.spec.ts', "it('may skip what it has seen', () => {});"],
  ['noSleeps', 'bites', 'test/e2e/a.e2e.spec.ts', 'await new Promise((resolve) => setTimeout(resolve, 500));'],
  ['anyMachine', 'bites', 'docs/start.md', 'cd /home/ann/holdfast'],
  ['anyMachine', 'bites', '.npmrc', 'registry=https://example.org/npm'],
  ['anyMachine', 'passes', 'libs/events/src/a.ts', "import { b } from '../work/b.js';"],
  ['noConsole', 'bites', 'apps/executor/src/a.ts', "console.log('here');"],
  ['noConsole', 'passes', 'apps/cli/src/a.ts', "console.log('here');"],
];

describe('a rule', () => {
  const cases = planted.map(([name, expected, path, text]) => ({
    name,
    expected,
    path,
    text,
    what: JSON.stringify(text.slice(0, 70)),
  }));
  it.each(cases)('$name $expected on $path: $what', ({ name, expected, path, text }) => {
    const found = breaches(rules[name], [{ path, text }]);
    expect(found.length > 0).toBe(expected === 'bites');
  });

  it('is tested to bite, whichever it is', () => {
    const biting = new Set(planted.filter(([, expected]) => expected === 'bites').map(([name]) => name));
    expect([...biting].toSorted()).toEqual(Object.keys(rules).toSorted());
  });
});

describe('reading code', () => {
  it('drops comments but not what looks like one in a string', () => {
    expect(withoutComments("const a = 'http://b'; // c\n/* d */ const e = `//f`;")).toBe(
      "const a = 'http://b'; \n const e = `//f`;",
    );
  });

  it('keeps what is computed inside a template', () => {
    expect(codeOnly("f('await', `${await g()}`)")).toBe("f('', `${await g()}`)");
  });
});
