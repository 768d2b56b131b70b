import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  EFFECTS_ONCE,
  hasCounted,
  hasStruck,
  isClean,
  ledgerWitness,
  Member,
  runChaos,
  scheduleRandom,
  scheduleSweeps,
  type Report,
} from '@holdfast/chaos';
import { commitOf, dataDir, describeMachine, repositoryRoot, startKafka } from '@holdfast/dev';
import { ledgerProgram, policies, servicePrograms, toolsModule, workload } from './index.js';
import { documentOf, type Measured } from './document.js';
import { parseOptions } from './options.js';
import { SETTLE_MS } from './tools.js';

const STOP_MS_MAX = 9_000;
const HOURS_MAX_MS = 12 * 3_600_000;

const options = parseOptions(process.argv.slice(2));
const stopping = new AbortController();
const closing: (() => Promise<unknown>)[] = [];
let ending: Promise<never> | null = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void end(130));

/** Whoever comes first says how it ends: what was interrupted has nothing more to say. */
const end = (code: number): Promise<never> => (ending ??= endWith(code));

const endWith = async (code: number): Promise<never> => {
  stopping.abort();
  setTimeout(() => process.exit(code), STOP_MS_MAX).unref();
  for (const close of closing.toReversed()) await close().catch((error: Error) => console.error(error.message));
  process.exit(code);
};

const run = async () => {
  const { seed, sweeps, kills, fleets, points } = options;
  const strikes = kills === null ? scheduleSweeps(sweeps, { seed, points }) : scheduleRandom(kills, { seed, points });
  console.log(
    `${strikes.length} strikes, seed ${seed}, ${fleets} fleets, with a run of each policy under way: ${policies.join(', ')}`,
  );
  const folder = dataDir('chaos');
  const kafka = await startKafka();
  closing.push(() => kafka.stop());
  const ledger = new Member({
    name: 'ledger',
    main: ledgerProgram,
    args: [join(folder, 'ledger.jsonl')],
    env: {},
    logFile: join(folder, 'ledger.log'),
    plain: true,
  });
  await ledger.start();
  closing.push(() => ledger.stop(STOP_MS_MAX));
  const url = `http://127.0.0.1:${ledger.port}`;
  console.log(`Kafka at ${kafka.brokers.join(', ')}; the services' logs are in ${folder}`);
  const startedAt = Date.now();
  const running = runChaos({
    brokers: kafka.brokers,
    folder,
    programs: servicePrograms(),
    tools: [toolsModule],
    queues: { default: 4 },
    env: { LEDGER_URL: url },
    namespaceOf: (fleet) => `chaos-${fleet}`,
    strikes,
    workload,
    witness: ledgerWitness(`${url}/entries`),
    strictness: { ...EFFECTS_ONCE, kept: new Set(policies) },
    settleMs: 2 * SETTLE_MS,
    fleets: Math.min(fleets, strikes.length),
    msMax: HOURS_MAX_MS,
    say: (line) => console.log(line),
    signal: stopping.signal,
  });
  closing.push(() => running.catch(() => undefined));
  const report = await running;
  const wallMs = Date.now() - startedAt;
  const about = {
    seed,
    sweeps: kills === null ? sweeps : null,
    fleets,
    wallMs,
    startedAt: new Date(startedAt).toISOString(),
  };
  return { ...about, machine: describeMachine(true), commit: commitOf(), ...report };
};

const describe = (report: Report & { readonly wallMs: number }): string =>
  [
    '',
    `${report.kills} killed, ${report.freezes} frozen, ${report.runs} runs, ${report.effects} effects in ${Math.round(report.wallMs / 1_000)} s`,
    `  duplicated effects ${report.duplicates}, lost effects ${report.lost}, conflicts ${report.conflicts}, repeats that a policy allows ${report.repeats}`,
    ...(hasStruck(report) ? [] : ['  NOTHING was struck']),
    ...(hasCounted(report) ? [] : ['  NOTHING could be counted']),
    ...Object.entries(report.recoveryMs).flatMap(([kind, byAction]) =>
      Object.entries(byAction).map(
        ([action, { n, p50, p99, max }]) =>
          `  ${kind} ${action}: going on after p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (${n})`,
      ),
    ),
    `  cells never hit: ${report.neverHit.length === 0 ? 'none' : report.neverHit.join(', ')}`,
    ...report.wrong.map(
      ({ strike, run: { runId, end: reason, tally, conflicts } }) =>
        `  WRONG ${strike.point} ${strike.action}: ${runId} ${reason} ${JSON.stringify({ ...tally, conflicts })}`,
    ),
    ...report.strangers.map((key) => `  STRANGE effect under the key of no step: ${key}`),
    ...report.defects.map((defect) => `  UNSOUND ${defect}`),
    ...report.troubles.map((trouble) => `  TROUBLE ${trouble}`),
  ].join('\n');

/** Formatted like everything that people write, so that writing it again changes nothing else. */
const writeDocument = (measured: Measured): string => {
  const file = join(repositoryRoot, 'docs', 'crash-matrix.md');
  writeFileSync(file, `${documentOf(measured)}\n`);
  spawnSync(join(repositoryRoot, 'node_modules', '.bin', 'prettier'), ['--write', file], { stdio: 'ignore' });
  return file;
};

try {
  const report = await run();
  if (stopping.signal.aborted) await end(130);
  console.log(describe(report));
  if (options.report !== null) {
    const file = resolve(options.report);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
    console.log(`  ${file}`);
  }
  if (options.docs) console.log(`  ${writeDocument(report)}`);
  await end(isClean(report) && report.neverHit.length === 0 ? 0 : 1);
} catch (error) {
  console.error(`\n${(error as Error).message}`);
  await end(2);
}
