/** Installs, resolves and builds, each only when something changed since the last time. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, kafkaIsResolved, libs, pom, pomDigest, readIfAny, root } from './machine.mjs';
import { exitCodeOf, run } from './run.mjs';

/** Runs `npm ci` unless what is installed is what `package-lock.json` names. */
export const installPackages = async () => {
  if (packagesAreInstalled()) return;
  say('Installing packages (npm ci)…');
  await must('Packages could not be installed', 'npm', ['ci']);
};

const packagesAreInstalled = () => {
  const installed = readIfAny(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) return false;
  const has = JSON.parse(installed).packages;
  const wanted = JSON.parse(readIfAny(join(root, 'package-lock.json'))).packages;
  return Object.entries(wanted).every(
    ([path, { version, link, optional }]) =>
      // Optional ones are mostly built for other machines; the workspaces themselves are no packages to install.
      optional || !path.includes('node_modules/') || (has[path]?.version === version && has[path].link === link),
  );
};

/** Lets Maven copy the broker's jars, all or none, into `.holdfast/kafka/libs`. */
export const resolveKafka = async () => {
  if (kafkaIsResolved()) return;
  say("Resolving Kafka's jars (mvn)…");
  const kafkaDir = dirname(libs);
  mkdirSync(kafkaDir, { recursive: true });
  const scratch = mkdtempSync(join(kafkaDir, 'libs-'));
  try {
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${scratch}`];
    await must("Kafka's jars could not be resolved", 'mvn', ['--quiet', '--batch-mode', '--file', pom, ...goal]);
    writeFileSync(join(scratch, 'pom.sha256'), pomDigest());
    // What was formatted belongs to the jars it was formatted with.
    for (const old of [libs, join(kafkaDir, 'bootstrap.checkpoint')]) rmSync(old, { recursive: true, force: true });
    renameSync(scratch, libs);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};

/** Compiles all packages; what is up to date is left alone. */
export const build = () => must('The build failed', process.execPath, ['node_modules/typescript/bin/tsc', '--build']);

/** Compiles programs that are no package. */
export const compile = (project) =>
  must('The build failed', process.execPath, ['node_modules/typescript/bin/tsc', '--project', project]);

const must = async (what, command, args) => {
  const exit = await run(command, args);
  const code = exitCodeOf(exit);
  if (exit.signal !== null) throw new Failure(`Stopped by ${exit.signal}.`, code);
  if (code !== 0) throw new Failure(`${what} (exit code ${code}); what was wrong is printed above.`, 1);
};

const say = (text) => console.error(text);
