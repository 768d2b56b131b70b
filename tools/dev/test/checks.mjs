/** What there is to check, in order: the quick ones first. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, root, stateDir } from '../bootstrap/machine.mjs';
import { exitCodeOf, run } from '../bootstrap/run.mjs';

/** Ends a jest that hangs; the services as processes take some 14 minutes on two cores. */
const jestMsMax = 22 * 60_000;
/** How long a jest may go on after its report is written. */
const lingerMsMax = 10_000;
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** One check counts as one test: every command must end with exit code 0. */
const commands = (name, about, ...lines) => ({
  name,
  about,
  run: async () => {
    for (const [command, ...args] of lines) {
      const code = exitCodeOf(await run(bin(command), args));
      if (code !== 0) return { passed: 0, failed: 1, why: `${command} ended with exit code ${code}` };
    }
    return { passed: 1, failed: 0 };
  },
});

/** A project of `jest.config.mjs`; its tests are counted out of jest's own report. */
const jest = (name, about, ...options) => ({
  name,
  about,
  run: async () => {
    const file = join(stateDir, 'test', `${name}.json`);
    rmSync(file, { force: true });
    const args = ['--selectProjects', name, '--ci', '--json', '--outputFile', file, ...options];
    const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' };
    delete env.KAFKA_BROKERS; // tests kill brokers: only their own
    const lingering = endLingering(file);
    // With --json jest prints its report on stdout as well; people read what it says on stderr.
    const spawned = { stdout: 'ignore', env, msMax: jestMsMax, started: lingering.started };
    const exit = await run(bin('jest'), args, spawned);
    const killed = lingering.stop();
    return counted(killed ? 0 : exitCodeOf(exit), file, killed);
  },
});

/** Kills a jest that has reported and does not end: a test left a timer, a socket or a process open. */
const endLingering = (file) => {
  let killed = false;
  let reportedAt = null;
  let timer;
  return {
    started: (kill) => {
      timer = setInterval(() => {
        if (!existsSync(file)) return;
        reportedAt ??= performance.now();
        if (performance.now() - reportedAt < lingerMsMax) return;
        killed = true;
        kill();
      }, 250);
    },
    stop: () => {
      clearInterval(timer);
      return killed;
    },
  };
};

/** A jest that found nothing, crashed or could not load a file counts as failed, whatever its report says. */
export const counted = (code, file, lingered = false) => {
  if (!existsSync(file)) return { passed: 0, failed: 1, why: `jest wrote no report (exit code ${code})` };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  if (passed + failed === 0) return { passed, failed: 1, why: 'no test was run' };
  if (lingered)
    return { passed, failed: failed + 1, why: 'jest did not end after its last test: one left something open' };
  if (code !== 0 && failed === 0) return { passed, failed: 1, why: `jest ended with exit code ${code}` };
  return { passed, failed };
};

/** The seeded simulation: each seed and each rule that is looked for counts as one test. */
const simulation = {
  name: 'simulation',
  about: 'seeded histories of all services; every rule switched off in turn',
  run: async () => {
    const file = join(stateDir, 'test', 'simulation.json');
    rmSync(file, { force: true });
    const built = await run(bin('tsc'), ['--project', 'test/simulation']);
    if (exitCodeOf(built) !== 0) return { passed: 0, failed: 1, why: 'the simulation does not compile' };
    const program = join(stateDir, 'simulation', 'test', 'simulation', 'main.js');
    const exit = await run(process.execPath, ['--enable-source-maps', program, '--seeds', '1000', '--report', file], {
      msMax: jestMsMax,
    });
    const code = exitCodeOf(exit);
    if (!existsSync(file)) return { passed: 0, failed: 1, why: `the simulation wrote no report (exit code ${code})` };
    const { passed, failed } = JSON.parse(readFileSync(file, 'utf8'));
    if (code !== 0 && failed === 0) return { passed, failed: 1, why: `the simulation ended with exit code ${code}` };
    return { passed, failed };
  },
};

const verify = [
  commands('format', 'prettier', ['prettier', '--check', '--cache', '--log-level', 'warn', '.']),
  commands(
    'types',
    'the build, then the tests and the page',
    ['tsc', '--build'],
    ...['tsconfig.spec.json', 'apps/console', 'test/console'].map((project) => ['tsc', '--project', project]),
  ),
  commands('lint', 'oxlint', ['oxlint', '--type-aware', '--deny-warnings']),
  jest('unit', 'everything without input or output', '--maxWorkers=2'),
];

export const checks = [
  ...verify,
  simulation,
  jest('integration', 'one part against a real Kafka', '--maxWorkers=2'),
  jest('e2e', 'the services as processes', '--maxWorkers=2'),
];

/** What needs more than the others: run only where it is named. */
const further = [
  jest('console', 'the page in a headless Chromium', '--runInBand'),
  jest('security', 'brokers that ask who one is, least rights, and secrets looked for in every byte', '--runInBand'),
  jest('faults', 'what surrounds the services fails, and gateways are struck wherever they are', '--runInBand'),
  jest('containers', 'the image is built, its services run, the compose file is read', '--runInBand'),
  jest('cluster', 'three brokers restarted, killed and frozen under load', '--runInBand'),
];
export const known = [...checks, ...further];

/** The checks with these names (`verify` stands for the quick ones); all of them without names. */
export const selected = (names) => {
  if (names.length === 0) return checks;
  const wanted = names.flatMap((name) => (name === 'verify' ? verify.map((check) => check.name) : [name]));
  const unknown = wanted.filter((name) => !known.some((check) => check.name === name));
  if (unknown.length > 0) throw new Failure(`There is no check named ${unknown.join(', ')}.`);
  return known.filter(({ name }) => wanted.includes(name));
};
