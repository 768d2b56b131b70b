/** Checks what must be on the machine, each with one sentence that says what to do. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
export const stateDir = join(root, '.holdfast');
export const libs = join(stateDir, 'kafka', 'libs');
export const pom = join(root, 'tools', 'dev', 'kafka', 'pom.xml');

const nodeMin = [20, 19];
const javaMin = 17;

/** Something is missing or refused; the message is for a person and is all that is shown. */
export class Failure extends Error {
  constructor(message, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const inspectMachine = ({ needsKafka, needsBrowser = false, needsContainers = false }) => {
  requireNode(process.versions.node);
  if (needsContainers) requireContainers();
  if (needsBrowser) requireBrowser(process.env.CHROMIUM ?? '/usr/bin/chromium');
  if (!needsKafka) return;
  requireJava();
  if (!kafkaIsResolved()) requireMaven();
};

const requireNode = (version) => {
  const [major, minor] = version.split('.').map(Number);
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return;
  throw new Failure(
    `Holdfast needs Node.js ${nodeMin.join('.')} or newer, and this is ${version}: install a newer one.`,
  );
};

const requireBrowser = (chromium) => {
  if (existsSync(chromium)) return;
  throw new Failure(
    `The console is tested in a Chromium, and none is at ${chromium}: install one (on Debian: apt-get install chromium), or set CHROMIUM to where it is.`,
  );
};

/** What builds an image and runs services out of it without an engine: Linux, root, and a few programs. */
const requireContainers = () => {
  if (process.platform !== 'linux' || process.getuid() !== 0)
    throw new Failure('Containers are tested in namespaces and folders of the system: on Linux, as root.');
  const base = process.env.CONTAINER_BASE === undefined ? ['debootstrap'] : [];
  const missing = ['buildah', 'unshare', 'nsenter', ...base].filter(
    (program) => spawnSync(program, ['--version']).error !== undefined,
  );
  if (missing.length === 0) return;
  throw new Failure(
    `Containers are built and run with programs that are not found: ${missing.join(', ')}. On Debian: apt-get install buildah debootstrap util-linux.`,
  );
};

const orElse = 'or set KAFKA_BROKERS=host:port to use a Kafka that runs already';

const requireJava = () => {
  const home = process.env.JAVA_HOME;
  const own = home === undefined ? '' : join(home, 'bin', 'java');
  const { status, stderr } = spawnSync(existsSync(own) ? own : 'java', ['-version'], { encoding: 'utf8' });
  if (status !== 0) {
    throw new Failure(
      `Kafka needs Java ${javaMin} or newer, and none is found: install a JDK (or set JAVA_HOME), ${orElse}.`,
    );
  }
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr) ?? [];
  const major = Number(first === '1' ? second : first);
  if (major >= javaMin) return;
  throw new Failure(
    `Kafka needs Java ${javaMin} or newer, and this is ${first ?? 'an unknown version'}: install a newer JDK (or set JAVA_HOME), ${orElse}.`,
  );
};

const requireMaven = () => {
  if (spawnSync('mvn', ['-version']).status === 0) return;
  throw new Failure(`Maven (mvn) fetches Kafka's jars the first time, and none is found: install Maven, ${orElse}.`);
};

/** Whether the jars that the pom asks for are there. */
export const kafkaIsResolved = () => existsSync(libs) && readIfAny(join(libs, 'pom.sha256')) === pomDigest();

export const pomDigest = () => createHash('sha256').update(readFileSync(pom)).digest('hex');

export const readIfAny = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
