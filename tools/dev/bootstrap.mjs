/**
 * From a fresh clone to a running system: `node tools/dev/bootstrap.mjs start|agent|test|console|security|faults|cluster|containers|bench|chaos|simulate|explore|prepare [arguments]`.
 *
 * Plain JavaScript that needs nothing installed but Node.js; everything else it checks, installs, resolves and builds
 * first. What it starts ends with it, also when it is killed with -9.
 */
import { Failure, inspectMachine } from './bootstrap/machine.mjs';
import { build, buildConsole, compile, installPackages, resolveKafka } from './bootstrap/prepare.mjs';
import { endWithParent, endWithSignals, exitCodeOf, run } from './bootstrap/run.mjs';

const usage =
  'Usage: node tools/dev/bootstrap.mjs start|agent|test|console|security|faults|cluster|containers|bench|chaos|simulate|explore|prepare [arguments]';

/**
 * `test` compiles as one of its checks. It and `chaos` always bring their own brokers; what has a `project` needs none, and
 * is compiled into the state folder.
 */
const commands = {
  start: { main: 'examples/documents/dist/main.js', build: true, ownKafka: false, page: true },
  agent: { main: 'examples/agent/dist/main.js', build: true, ownKafka: false },
  bench: { main: 'bench/dist/main.js', build: true, ownKafka: false },
  chaos: { main: 'tools/matrix/dist/main.js', build: true, ownKafka: true },
  test: { main: 'tools/dev/test/main.mjs', build: false, ownKafka: true },
  console: {
    main: 'tools/dev/test/main.mjs',
    first: ['console'],
    build: true,
    ownKafka: true,
    page: true,
    browser: true,
  },
  faults: { main: 'tools/dev/test/main.mjs', first: ['faults'], build: true, ownKafka: true },
  security: { main: 'tools/dev/test/main.mjs', first: ['security'], build: true, ownKafka: true },
  cluster: { main: 'tools/dev/test/main.mjs', first: ['cluster'], build: true, ownKafka: true },
  containers: {
    main: 'tools/dev/test/main.mjs',
    first: ['containers'],
    build: true,
    ownKafka: true,
    containers: true,
  },
  simulate: {
    main: '.holdfast/simulation/test/simulation/main.js',
    build: true,
    ownKafka: false,
    project: 'test/simulation',
  },
  explore: {
    main: '.holdfast/exploration/test/exploration/main.js',
    build: true,
    ownKafka: false,
    project: 'test/exploration',
  },
  prepare: { main: null, build: true, ownKafka: true },
};

const bootstrap = async ([name, ...args]) => {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
  if (command === undefined) throw new Failure(usage);

  endWithSignals();
  endWithParent();
  const needsKafka = command.project === undefined && (command.ownKafka || !process.env.KAFKA_BROKERS);
  inspectMachine({ needsKafka, needsBrowser: command.browser === true, needsContainers: command.containers === true });
  await installPackages();
  if (needsKafka) await resolveKafka();
  if (command.build) await build();
  if (command.page === true) await buildConsole();
  if (command.project !== undefined) await compile(command.project);
  return command.main === null
    ? 0
    : exitCodeOf(await run(process.execPath, [command.main, ...(command.first ?? []), ...args]));
};

try {
  process.exitCode = await bootstrap(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}
