/** Installs, resolves and builds, each only when something changed since the last time. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** Builds the console's page, unless what is there was made of the same files. */
export const buildConsole = async () => {
  const made = join(root, 'apps', 'console', 'dist', 'made-of.sha256');
  const digest = digestOf([...filesUnder('apps/console'), ...filesUnder('libs'), 'package-lock.json']);
  if (readIfAny(made) === digest) return;
  say('Building the console (vite)…');
  const args = ['node_modules/vite/bin/vite.js', 'build', 'apps/console', '--logLevel', 'warn'];
  await must('The console could not be built', process.execPath, args);
  writeFileSync(made, digest);
};

const digestOf = (files) => {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
};

const filesUnder = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (['dist', 'node_modules'].includes(entry.name) || entry.name.endsWith('.spec.ts')) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(path) : [path];
  });

const must = async (what, command, args) => {
  const exit = await run(command, args);
  const code = exitCodeOf(exit);
  if (exit.signal !== null) throw new Failure(`Stopped by ${exit.signal}.`, code);
  if (code !== 0) throw new Failure(`${what} (exit code ${code}); what was wrong is printed above.`, 1);
};

const say = (text) => console.error(text);
