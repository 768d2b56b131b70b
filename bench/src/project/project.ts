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
import { writeHistory, type Written } from './write-history.js';

export type ProjectOptions = { readonly runs: number; readonly gateways: number };
type Closing = (close: () => Promise<void>) => void;
type Place = { readonly brokers: string[]; readonly ownKafka: boolean; readonly databaseUrl: string };

const lanes = DEFAULTS.lanes;

/** Measures how quick histories become rows in Postgres, and how quick they are read there. */
export const runProject = async ({ runs, gateways }: ProjectOptions, onOpen: Closing) => {
  console.log('Starting Kafka and Postgres …');
  const place = await openPlace(onOpen);
  const namespace = `bench-${Date.now()}`;
  console.log(`Writing the histories of ${runs} runs …`);
  const history = await write(place, namespace, runs);
  console.log(`Projecting ${history.events} events …`);
  const progress = new Progress(place.databaseUrl, topicNames(namespace).history);
  await progress.open();
  onOpen(() => progress.close());
  const started = startGateways(place, namespace, gateways, onOpen);
  const projecting = await progress.measure(history.ends);
  console.log(`  ${projecting.events} events in ${projecting.wallMs} ms: ${projecting.perSecond} events/s`);
  const url = await started;
  console.log('Reading …');
  const { list, get } = await measureReading(url, history.runIds);
  console.log('Rebuilding …');
  await rebuild(url);
  const again = await progress.measure(history.ends);
  return {
    workload: 'project' as const,
    runs,
    gateways,
    events: history.events,
    eventsPerSecond: projecting.perSecond,
    wallMs: projecting.wallMs,
    rebuildEventsPerSecond: again.perSecond,
    rebuildMs: again.wallMs,
    listP50Ms: list.p50Ms,
    listP99Ms: list.p99Ms,
    getP50Ms: get.p50Ms,
    getP99Ms: get.p99Ms,
    databaseMiB: Math.round((await progress.bytes()) / 1_048_576),
    machine: describeMachine(place.ownKafka),
    commit: commitOf(),
  };
};

const openPlace = async (onOpen: Closing): Promise<Place> => {
  const kafka = await openKafka();
  onOpen(() => kafka.stop());
  const postgres = await openPostgres();
  onOpen(() => postgres.stop());
  return { brokers: kafka.brokers, ownKafka: kafka.owned, databaseUrl: postgres.url };
};

const write = async ({ brokers }: Place, namespace: string, runs: number): Promise<Written> => {
  const names = topicNames(namespace);
  const options = { brokers, clientId: 'bench', logger: silentLogger };
  await createKafkaTopics(options).ensure([...lanePlan(names, lanes)]);
  const log = createKafkaLog(options);
  const history = await writeHistory(log, names.history, { runs, lanes });
  await log.close();
  return history;
};

/** Answers where the first one is asked, once all are ready. */
const startGateways = async (place: Place, namespace: string, count: number, onOpen: Closing): Promise<string> => {
  const folder = join(stateDir, 'bench', namespace);
  mkdirSync(folder, { recursive: true });
  const env = {
    KAFKA_BROKERS: place.brokers.join(','),
    DATABASE_URL: place.databaseUrl,
    HOLDFAST_NAMESPACE: namespace,
    HOLDFAST_HTTP_PORT: '0',
    // Measured apart: it folds everything a second time.
    HOLDFAST_SHADOW_RATE: '0',
    HOLDFAST_RATE_PER_MINUTE: '0',
  };
  const surroundings = { env, folder, readyPath: '/ready' };
  const start = (_: unknown, index: number) =>
    startProgram(`gateway-${index + 1}`, serviceProgram('gateway'), [], surroundings);
  const starting = Array.from({ length: count }, start);
  onOpen(async () => void (await Promise.all(starting.map(async (one) => (await one).service.stop(4_000)))));
  const [first] = await Promise.all(starting);
  return `http://127.0.0.1:${first?.httpPort ?? 0}`;
};

const rebuild = async (url: string): Promise<void> => {
  const response = await fetch(`${url}/v1/projections/rebuild`, { method: 'POST' });
  if (!response.ok) throw new Error(`the rebuild was answered with ${response.status}: ${await response.text()}`);
};
