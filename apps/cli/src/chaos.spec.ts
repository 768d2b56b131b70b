import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from '@holdfast/chaos';
import { chaosTable, counterWords } from './chaos-words.js';
import { runCli } from './cli.js';

const file = (name: string, content: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'chaos-')), name);
  writeFileSync(path, content);
  return path;
};
const plan = file('plan.json', '{ "kind": "plan", "steps": [{ "id": "a", "tool": "file@1" }] }');
const tools = file('tools.js', 'export default [];');

const run = async (...args: readonly string[]) => {
  const err: string[] = [];
  const exit = await runCli(['chaos', ...args], {
    out: { write: () => undefined },
    err: { write: (text) => err.push(text) },
    env: {},
    connect: () => Promise.reject(new Error('is not asked for')),
    interrupted: () => new AbortController().signal,
  });
  return { exit, err: err.join('') };
};

describe('holdfast chaos', () => {
  it.each([
    ['without tools', [plan], 'required option'],
    ['with a plan that is not there', ['nowhere.json', '--tools', tools], 'the plan cannot be read from nowhere.json'],
    ['with something that is no plan', [tools, '--tools', tools], 'is not JSON'],
    ['with a plan of nothing known', [file('p.json', '{}'), '--tools', tools], 'the plan is not one'],
    ['with tools that are not there', [plan, '--tools', './nowhere.js'], 'tools from "./nowhere.js" cannot be loaded'],
    ['with a module without tools', [plan, '--tools', tools], 'has no tools'],
    ['with more runs than it bears', [plan, '--tools', tools, '--runs', '51'], 'a whole number from 1 to 50'],
    ['with a namespace that is none', [plan, '--tools', tools, '--into', 'a b'], 'up to 90 letters'],
    ['with a time without unit', [plan, '--tools', tools, '--within', '10'], 'a number with its unit'],
  ])('%s says so and does nothing', async (_, args, said) => {
    const { exit, err } = await run(...args);
    expect([exit, err]).toEqual([2, expect.stringContaining(said)]);
  });

  it('wants a word that the cluster is the own one, and says what it would do', async () => {
    const some = fileURLToPath(new URL('../../../tools/matrix/src/tools.ts', import.meta.url));
    const named = await run(plan, '--tools', some, '--brokers', '127.0.0.1:1');
    expect(named).toEqual({
      exit: 2,
      err: expect.stringContaining('Every effect of the tools is made for real') as string,
    });
  });
});

const report = (more: Partial<Report> = {}): Report => ({
  kills: 1,
  freezes: 1,
  runs: 10,
  effects: 40,
  duplicates: 0,
  lost: 0,
  repeats: 0,
  untold: 0,
  uncounted: 0,
  conflicts: 0,
  cells: (['kill', 'freeze'] as const).map((action) => ({
    point: 'executor.call.after',
    process: 'worker',
    action,
    program: 'run-1',
    hits: 1,
    duplicates: action === 'kill' ? 1 : 0,
    lost: 0,
    repeats: 0,
    doubts: 0,
    ends: { succeeded: 1 },
    recoveryMs: { n: 1, p50: 700, p99: 700, max: 700 },
  })),
  neverHit: [],
  recoveryMs: {},
  wrong: [],
  strangers: [],
  defects: [],
  troubles: [],
  ...more,
});

describe('what chaos prints', () => {
  it('has a line for each failpoint', () =>
    expect(chaosTable(report())).toMatch(/executor\.call\.after +│ worker +│ 1 +│ 1 +│ 1 +│ 0 +│ 700/));

  it('says what was counted and nothing that there is nothing to say about', () =>
    expect(counterWords(report())).toBe('1 killed, 1 frozen, 10 runs, 40 effects: 0 duplicated, 0 lost.'));

  it('says plainly what went wrong beside duplicates and losses, and where nothing is shown', () => {
    expect(counterWords(report({ strangers: ['k/x'] }))).toContain('under k/x, the key of no step');
    expect(counterWords(report({ kills: 0, freezes: 0 }))).toContain('Nothing was struck');
    expect(counterWords(report({ uncounted: 40 }))).toContain('a repeat would not be seen. Give --ledger.');
  });

  it('says plainly what could not be counted or reached', () => {
    const words = counterWords(
      report({
        uncounted: 4,
        untold: 2,
        neverHit: ['reconciler.ask.before kill run-1', 'reconciler.ask.before kill run-2'],
      }),
    );
    expect(words).toContain('4 effects are known to be there, but not how often');
    expect(words).toContain('2 effects could not be asked about');
    expect(words).toContain('Not reached by this plan in time: reconciler.ask.before kill.');
  });
});
