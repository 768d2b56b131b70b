import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataDir, repositoryRoot } from './paths.js';

type Counts = { readonly passed: number; readonly failed: number; readonly why?: string };
type Checks = { readonly counted: (code: number, file: string, lingered?: boolean) => Counts };

const load = async (): Promise<Checks> =>
  (await import(pathToFileURL(join(repositoryRoot, 'tools/dev/test/checks.mjs')).href)) as Checks;

const run = (script: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  spawnSync(process.execPath, [join(repositoryRoot, 'tools/dev', script), ...args], { encoding: 'utf8', env });

describe('counting the tests of a jest project', () => {
  const report = (numPassedTests: number, numFailedTests = 0, numRuntimeErrorTestSuites = 0) => {
    const file = join(dataDir('report'), 'report.json');
    writeFileSync(file, JSON.stringify({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }));
    return file;
  };

  it.each([
    ['what passed', 0, [3], { passed: 3, failed: 0 }],
    ['what failed', 1, [3, 2], { passed: 3, failed: 2 }],
    ['a file that could not be loaded as failed', 1, [3, 0, 1], { passed: 3, failed: 1 }],
    ['no test at all as failed', 0, [0], { passed: 0, failed: 1, why: 'no test was run' }],
    ['a bad end as failed', 1, [3], { passed: 3, failed: 1, why: 'jest ended with exit code 1' }],
  ])('counts %s', async (_, code, [passed = 0, failed, broken], expected) => {
    const { counted } = await load();
    expect(counted(code, report(passed, failed, broken))).toEqual(expected);
  });

  it('counts a jest that had to be ended as failed', async () => {
    const { counted } = await load();
    const why = 'jest did not end after its last test: one left something open';
    expect(counted(0, report(3), true)).toEqual({ passed: 3, failed: 1, why });
  });

  it('counts a missing report as failed', async () => {
    const { counted } = await load();
    expect(counted(137, 'no-such-file')).toMatchObject({ passed: 0, failed: 1 });
  });
});

describe('starting on a machine', () => {
  it('says how it is used', () => {
    const { status, stderr } = run('bootstrap.mjs', []);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^Usage: [^\n]*\n$/)]);
  });

  it('says in one sentence that Java is missing', () => {
    const { status, stderr } = run('bootstrap.mjs', ['prepare'], { PATH: '/nowhere' });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^Kafka needs Java 17 or newer, and none is found[^\n]*\n$/),
    ]);
  });

  it('names the checks there are when asked for another', () => {
    const { status, stderr } = run('test/main.mjs', ['speed']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('There is no check named speed. Known are: format')]);
  });
});
