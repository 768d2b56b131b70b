import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lanePlan, topicNames } from '@holdfast/contracts';
import { commitOf, describeMachine, openKafka, openPostgres, serviceProgram, stateDir } from '@holdfast/dev';
import { DEFAULTS } from '@holdfast/events';
import { createKafkaLog, createKafkaTopics } from '@holdfast/log';
import { silentLogger } from '@holdfast/sdk';
import { startProgram } from '../running/service.js';
import { Progress } from './progress.js';
import { measureReading } from './reading.js';
import { writeHistory } from './write-history.js';

export type ProjectOptions = { readonly runs: number; readonly gateways: number };
type Closing = (close: () => Promise<void>) => void;

/** Measures how quick histories become rows in Postgres, and how quick they are read there. */
export const runProject = async ({ runs, gateways }: ProjectOptions, onOpen: Closing) => {
  console.log('Starting Kafka and Postgres …');
  const kafka = await openKafka();
  onOpen(() => kafka.stop());
  const postgres = await openPostgres();
  onOpen(() => postgres.stop());
  const namespace = `bench-${Date.now()}`;
  const names = topicNames(namespace);
  const lanes = DEFAULTS.lanes;
  const options = { brokers: kafka.brokers, clientId: 'bench', logger: silentLogger };
  await createKafkaTopics(options).ensure([...lanePlan(names, lanes)]);
  console.log(`Writing the histories of ${runs} runs …`);
  const log = createKafkaLog(options);
  const history = await writeHistory(log, names.history, { runs, lanes });
  await log.close();

  const folder = join(stateDir, 'bench', namespace);
  mkdirSync(folder, { recursive: true });
  const env = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    DATABASE_URL: postgres.url,
    HOLDFAST_NAMESPACE: namespace,
    HOLDFAST_HTTP_PORT: '0',
    // Measured apart: it folds everything a second time.
    HOLDFAST_SHADOW_RATE: '0',
    HOLDFAST_RATE_PER_MINUTE: '0',
  };
  console.log(`Projecting ${history.events} events (logs in ${folder}) …`);
  const progress = new Progress(postgres.url, names.history);
  await progress.open();
  onOpen(() => progress.close());
  const start = (name: string) =>
    startProgram(name, serviceProgram('gateway'), [], { env, folder, readyPath: '/ready' });
  const started = Array.from({ length: gateways }, (_, index) => start(`gateway-${index + 1}`));
  onOpen(async () => void (await Promise.all(started.map(async (one) => (await one).service.stop(4_000)))));
  const projecting = await progress.measure(history.ends);
  console.log(`  ${projecting.events} events in ${projecting.wallMs} ms: ${projecting.perSecond} events/s`);
  const [gateway] = await Promise.all(started);
  const url = `http://127.0.0.1:${gateway?.httpPort ?? 0}`;

  console.log('Reading …');
  const { list, get } = await measureReading(url, history.runIds);
  console.log('Rebuilding …');
  const response = await fetch(`${url}/v1/projections/rebuild`, { method: 'POST' });
  if (!response.ok) throw new Error(`the rebuild was answered with ${response.status}: ${await response.text()}`);
  const rebuild = await progress.measure(history.ends);
  return {
    workload: 'project' as const,
    runs,
    gateways,
    events: history.events,
    eventsPerSecond: projecting.perSecond,
    wallMs: projecting.wallMs,
    rebuildEventsPerSecond: rebuild.perSecond,
    rebuildMs: rebuild.wallMs,
    listP50Ms: list.p50Ms,
    listP99Ms: list.p99Ms,
    getP50Ms: get.p50Ms,
    getP99Ms: get.p99Ms,
    databaseMiB: Math.round((await progress.bytes()) / 1_048_576),
    machine: describeMachine(kafka.owned),
    commit: commitOf(),
  };
};
