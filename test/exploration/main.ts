/**
 * Explores the small systems of `configurations.ts`, two at a time, and ends with a summary; with names as arguments
 * only those. Ends with exit code 1 when an invariant is broken or an end cannot be reached.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configurations } from './configurations.js';
import { explore } from './engine/explore.js';
import { limits } from './limits.js';
import { count, isClean, linesOf, type Explored } from './report.js';
import { invariantNames } from './world/breach.js';
import { systemOf } from './world/system.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const exploreOne = (name: string): Explored => {
  const configuration = configurations.find((one) => one.name === name);
  if (configuration === undefined) throw new Error(`there is no configuration ${name}`);
  const began = performance.now();
  const cpu = process.cpuUsage();
  const found = explore(systemOf(configuration));
  const { user, system } = process.cpuUsage(cpu);
  return { configuration, found, wallMs: performance.now() - began, cpuMs: (user + system) / 1_000 };
};

/** In a process of its own, with its own memory and processor time. */
const inProcess = (name: string): Promise<Explored> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [name], { serialization: 'advanced', execArgv: MEMORY });
    child.once('message', (explored) => resolve(explored as Explored));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the exploration of ${name} ended with exit code ${code}`)));
  });

const MEMORY = ['--max-old-space-size=4096', '--enable-source-maps'];

const exploreAll = async (names: readonly string[]): Promise<void> => {
  const began = performance.now();
  const left = [...names];
  const done: Explored[] = [];
  const next = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const explored = await inProcess(name);
      done.push(explored);
      say(['', ...linesOf(explored)].join('\n'));
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, next));
  const sum = done.reduce((states, { found }) => states + found.states, 0);
  const clean = done.filter(isClean).length;
  say(
    `\n${clean} of ${done.length} configurations clean, ${count(sum)} states in ${((performance.now() - began) / 1_000).toFixed(0)} s`,
  );
  process.exitCode = clean === names.length ? 0 : 1;
};

const names = process.argv.slice(2);
if (process.send !== undefined) process.send(exploreOne(names[0] ?? ''), () => process.disconnect());
else {
  say('Invariants, asked in every state:');
  for (const name of invariantNames) say(`  ${name}`);
  say('Joined, bounded, left out (docs/exploration.md says why each is harmless, or what it costs):');
  for (const line of limits) say(`  ${line}`);
  await exploreAll(names.length > 0 ? names : configurations.map(({ name }) => name));
}
