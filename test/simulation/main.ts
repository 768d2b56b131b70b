import { fork, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ALL_RULES, withoutRules } from './rules.js';
import { scenarioOf } from './scenario/generate.js';
import { FATES, FAULTS, SPOILS } from './scenario/scenario.js';
import { MUTANTS } from './mutants.js';
import { catchMutant, nameOf, type Caught } from './search.js';
import { shrink } from './shrink.js';
import { simulate } from './simulate.js';

const HELP = `npm run simulate -- [--seeds N] [--from S] [--jobs N] [--no-mutants] [--report FILE]
npm run simulate -- --seed S [--mutant NAME]     plays one seed, shrinks it when it fails, and prints what happened

All services in one process and in virtual time, with faults at every input and output, out of a seed.
--report writes the counts as JSON.
Without --no-mutants each rule of the protocol is switched off in turn, and must be caught.`;

type Told = {
  readonly kind: 'seed' | 'mutant';
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  /** What has struck in the history of a seed, and how often. */
  readonly struck?: Readonly<Record<string, number>>;
};

const OPTIONS = {
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    mutant: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    mutants: { type: 'boolean', default: true },
    part: { type: 'string' },
    report: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
  allowNegative: true,
} as const;

const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n${HELP}\n`);
  process.exit(2);
};

const given = () => {
  try {
    return parseArgs(OPTIONS).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
};
const values = given();

const wholeNumber = (text: string, name: string): number =>
  /^\d{1,9}$/.test(text) ? Number(text) : refuse(`--${name} takes a whole number, not ${JSON.stringify(text)}.`);

const seeds = wholeNumber(values.seeds, 'seeds');
const from = wholeNumber(values.from, 'from');
const jobs = Math.max(1, wholeNumber(values.jobs, 'jobs'));

/** One process's part: every `jobs`-th seed, every `jobs`-th mutant. */
const playPart = async (part: number): Promise<void> => {
  const tell = (told: Told): void => void process.send?.(told);
  for (let seed = from + part; seed < from + seeds; seed += jobs) {
    const { violation, struck } = await simulate(scenarioOf(seed));
    const text = violation === null ? '' : `${violation.invariant}: ${violation.detail}`;
    tell({ kind: 'seed', name: String(seed), ok: violation === null, text, struck: Object.fromEntries(struck) });
  }
  for (const [index, mutant] of MUTANTS.entries()) {
    if (!values.mutants || index % jobs !== part) continue;
    const caught = await catchMutant(mutant).catch((error: unknown) => error as Error);
    const failed = caught === null ? 'not caught' : caught instanceof Error ? caught.message : null;
    const text = failed ?? `seed ${(caught as Caught).seed}: ${(caught as Caught).violation.invariant}`;
    tell({ kind: 'mutant', name: nameOf(mutant), ok: failed === null, text });
  }
  process.disconnect?.();
};

const playAll = async (): Promise<void> => {
  process.stdout.write(
    `seeds ${from} to ${from + seeds - 1}, ${values.mutants ? MUTANTS.length : 0} mutants, ${jobs} processes\n`,
  );
  const told: Told[] = [];
  const heard = (one: Told): void => {
    told.push(one);
    if (!one.ok) process.stdout.write(`FAILED ${one.kind} ${one.name}: ${one.text}\n`);
    const count = told.filter(({ kind }) => kind === 'seed').length;
    if (one.kind === 'seed' && count % 500 === 0) process.stdout.write(`${count} seeds\n`);
  };
  const script = process.argv[1] ?? '';
  const children = Array.from({ length: jobs }, (_, part) =>
    fork(script, [...process.argv.slice(2), '--part', String(part)]).on('message', heard as (message: unknown) => void),
  );
  const codes = await Promise.all(children.map(ended));
  process.stdout.write(`struck: ${countsOf(told)}\n`);
  const mutants = told.filter(({ kind }) => kind === 'mutant');
  for (const { name, text } of mutants) process.stdout.write(`without ${name}: ${text}\n`);
  const caught = mutants.filter(({ ok }) => ok).length;
  if (values.mutants)
    process.stdout.write(`rules caught: ${caught === MUTANTS.length ? 'all' : caught} of ${MUTANTS.length}\n`);
  const expected = seeds + (values.mutants ? MUTANTS.length : 0);
  const passed = told.filter(({ ok }) => ok).length;
  // What was not told was not done: a process that crashed leaves its part open.
  const failed = expected - passed;
  if (values.report !== undefined) writeFileSync(values.report, JSON.stringify({ from, seeds, passed, failed }));
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = passed === expected && codes.every((code) => code === 0) ? 0 : 1;
};

/** Each kind of fault and each fate of an append, with how often it has struck. */
const countsOf = (told: readonly Told[]): string =>
  [...FAULTS, ...FATES, ...SPOILS]
    .map((kind) => `${kind} ${told.reduce((sum, { struck }) => sum + (struck?.[kind] ?? 0), 0)}`)
    .join(', ');

const ended = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once('exit', resolve));

/** Plays one seed and prints its trace, shrunk where it fails. */
const playOne = async (seed: number): Promise<void> => {
  const mutant = MUTANTS.find((one) => nameOf(one) === values.mutant);
  if (values.mutant !== undefined && mutant === undefined) {
    process.stderr.write(`There is no mutant ${values.mutant}; there are:\n${MUTANTS.map(nameOf).join('\n')}\n`);
    process.exit(2);
  }
  const rules = mutant === undefined ? ALL_RULES : withoutRules(mutant.rules);
  let scenario = scenarioOf(seed, mutant?.focus);
  let played = await simulate(scenario, rules);
  if (played.violation !== null) {
    scenario = await shrink(scenario, played.violation.invariant, rules);
    played = await simulate(scenario, rules);
  }
  process.stdout.write(`${JSON.stringify(scenario, null, 2)}\n${played.trace.join('\n')}\n`);
  process.stdout.write(played.violation === null ? '1 passed, 0 failed\n' : '0 passed, 1 failed\n');
  process.exitCode = played.violation === null ? 0 : 1;
};

if (values.help) process.stdout.write(`${HELP}\n`);
else if (values.part !== undefined) await playPart(Number(values.part));
else if (values.seed !== undefined) await playOne(wholeNumber(values.seed, 'seed'));
else await playAll();
