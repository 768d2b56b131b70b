import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { commitOf, describeMachine } from '@holdfast/dev';
import { parseOptions, type BenchOptions } from './options.js';
import { runProject } from './project/project.js';
import { runTakeover, takeoverLine } from './takeover/takeover.js';
import { openEnvironment } from './running/environment.js';
import { openHistory } from './running/history.js';
import { stalled } from './running/stalled.js';
import { measure, type Measurement } from './running/measure.js';
import { cancel } from './workloads/cancel.js';
import { fanout } from './workloads/fanout.js';
import { sequential } from './workloads/sequential.js';
import { small } from './workloads/small.js';

const WARM_UP_MAX = { sequential: 300, fanout: 300, small: 300, cancel: 10 } as const;
const STOP_MS_MAX = 9_000;
const makers = { sequential, fanout, small, cancel };

const options = parseOptions(process.argv.slice(2));
const closing: (() => Promise<void>)[] = [];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void end(130));

const end = async (code: number): Promise<never> => {
  setTimeout(() => process.exit(code), STOP_MS_MAX).unref();
  for (const close of closing.toReversed()) await close().catch((error: Error) => console.error(error.message));
  process.exit(code);
};

const run = async ({ workload, count, window }: BenchOptions & { readonly workload: keyof typeof makers }) => {
  console.log('Starting Kafka, an effect server, a coordinator, an executor and a reconciler …');
  const environment = await openEnvironment((close) => closing.push(close));
  console.log(`Kafka at ${environment.brokers.join(', ')}; logs in ${environment.folder}`);
  const history = await openHistory(environment);
  closing.push(() => history.close());
  const once = async (tag: string, size: number): Promise<Measurement> =>
    Promise.race([
      measure(makers[workload]({ tag, count: size, window }), environment, history),
      history.unsound,
      environment.broken,
      stalled(history, environment.folder),
    ]);

  console.log('Warming up …');
  await once('warm-up', Math.min(count, WARM_UP_MAX[workload]));
  console.log(`Measuring ${workload} …`);
  const measured = await once('measured', count);
  return { ...measured, window, machine: describeMachine(environment.ownKafka), commit: commitOf() };
};

const cancelLines = ({ lastStartP99Ms, startedAfterClosed, scheduledAfter }: Measurement): readonly string[] =>
  lastStartP99Ms === undefined
    ? []
    : [
        `  from a cancel to the last effect that begins: p99 ${lastStartP99Ms} ms`,
        `  ${scheduledAfter} steps scheduled after a cancel, ${startedAfterClosed} effects of attempts that were closed`,
      ];

const isSound = ({ duplicates, lost, startedAfterClosed = 0, scheduledAfter = 0 }: Measurement): boolean =>
  duplicates + lost + startedAfterClosed + scheduledAfter === 0;

const describe = (result: Awaited<ReturnType<typeof run>>): string => {
  const { machine } = result;
  return [
    '',
    `${result.workload}: ${result.runs} runs, ${result.steps} steps, ${result.effects} effects in ${result.wallMs} ms`,
    `  ${result.stepsPerSecond} steps/s, ${result.runsPerSecond} runs/s`,
    `  ${result.latencyOf}: p50 ${result.p50Ms} ms, p99 ${result.p99Ms} ms, at most ${result.maxMs} ms`,
    ...cancelLines(result),
    `  duplicated effects ${result.duplicates}, lost effects ${result.lost}`,
    `  ${machine.cpus} x ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}, Kafka ${machine.kafka}, commit ${result.commit ?? 'unknown'}`,
  ].join('\n');
};

const write = (result: object): void => {
  if (options.json === null) return;
  const file = resolve(options.json);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`  ${file}`);
};

const project = async (): Promise<void> => {
  const result = await runProject({ runs: options.count, gateways: options.gateways }, (close) => closing.push(close));
  const { events, runs, eventsPerSecond, rebuildEventsPerSecond, listP99Ms, getP99Ms, databaseMiB } = result;
  console.log(`\nproject: ${events} events of ${runs} runs, ${databaseMiB} MiB in the database`);
  console.log(`  ${eventsPerSecond} events/s into Postgres, ${rebuildEventsPerSecond} events/s in a rebuild`);
  console.log(`  a list: p99 ${listP99Ms} ms; a run: p99 ${getP99Ms} ms`);
  write(result);
};

const takeover = async (): Promise<void> => {
  const { count: events, rounds } = options;
  const result = await runTakeover({ events, rounds }, (close) => closing.push(close));
  console.log(`\ntakeover, load ${result.load}, median of ${rounds}:`);
  for (const one of result.measured) console.log(takeoverLine(one));
  write(result);
};

try {
  const { workload } = options;
  if (workload === 'project') {
    await project();
    await end(0);
  } else if (workload === 'takeover') {
    await takeover();
    await end(0);
  } else {
    const result = await run({ ...options, workload });
    console.log(describe(result));
    write(result);
    await end(isSound(result) ? 0 : 1);
  }
} catch (error) {
  console.error(`\n${(error as Error).message}`);
  await end(2);
}
