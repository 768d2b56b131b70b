import { mkdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lanePlan, topicNames } from '@holdfast/contracts';
import { commitOf, describeMachine, openKafka, serviceProgram, stateDir } from '@holdfast/dev';
import { createKafkaLog, createKafkaTopics } from '@holdfast/log';
import { silentLogger } from '@holdfast/sdk';
import { startProgram } from '../running/service.js';
import type { Story } from './stories.js';
import { writeLane, type WrittenLane } from './write-lane.js';

type Closing = (close: () => Promise<void>) => void;
type Place = { readonly brokers: string[]; readonly folder: string };

/** What a coordinator says of one takeover, and what it has used by then at most. */
export type TakenOver = {
  readonly seconds: number;
  readonly recordsRead: number;
  readonly mibRead: number;
  /** Null where the system does not say. */
  readonly peakMib: number | null;
};
export type Takeover = {
  readonly story: Story;
  readonly events: number;
  readonly mib: number;
  readonly withSnapshot: TakenOver;
  readonly withoutSnapshot: TakenOver;
  readonly snapshot: WrittenLane['snapshot'];
};

/** Events between the snapshot and the end of history: as many as there are on average. */
const AFTER = 5_000;
const TRIES_MAX = 5;
const PATIENCE_MS = 600_000;
const MIB = 1_048_576;

export type TakeoverOptions = { readonly events: number; readonly rounds: number };

/** Measures how long a coordinator takes to take over a lane of so many events, with its snapshot and without. */
export const runTakeover = async ({ events, rounds }: TakeoverOptions, onOpen: Closing) => {
  console.log('Starting Kafka …');
  const kafka = await openKafka();
  onOpen(() => kafka.stop());
  const folder = join(stateDir, 'bench', `takeover-${Date.now()}`);
  mkdirSync(folder, { recursive: true });
  const place = { brokers: kafka.brokers, folder };
  const load = loadavg()[0] ?? 0;
  const sizes = [events / 100, events / 10, events].map(Math.round);
  const measured: Takeover[] = [];
  for (const story of ['missions', 'small'] as const) {
    for (const size of sizes) measured.push(await measure(place, story, { events: size, rounds }));
  }
  return {
    workload: 'takeover' as const,
    rounds,
    eventsAfterSnapshot: AFTER,
    measured,
    load: Math.round(load * 10) / 10,
    machine: describeMachine(kafka.owned),
    commit: commitOf(),
  };
};

const measure = async (place: Place, story: Story, { events, rounds }: TakeoverOptions): Promise<Takeover> => {
  const namespace = `takeover-${story}-${events}-${Date.now()}`;
  const written = await write(place, namespace, { story, events });
  const round = async (snapshots: boolean): Promise<TakenOver> => {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const taken = await takeOver(place, namespace, { snapshots, size: written.records });
      if (taken !== null) return taken;
      console.log('  a coordinator has lost its seat meanwhile; again');
    }
    throw new Error('the machine has so much else to do that nothing can be measured');
  };
  const [without, having]: [TakenOver[], TakenOver[]] = [[], []];
  for (let nth = 0; nth < rounds; nth += 1) {
    having.push(await round(true));
    without.push(await round(false));
  }
  const told = {
    story,
    events: written.records,
    mib: mib(written.bytes),
    withSnapshot: median(having),
    withoutSnapshot: median(without),
    snapshot: written.snapshot,
  };
  console.log(takeoverLine(told));
  return told;
};

export const takeoverLine = ({ story, events, mib: size, withSnapshot, withoutSnapshot, snapshot }: Takeover): string =>
  `  ${story}, ${events} events, ${size} MiB: ${withoutSnapshot.seconds} s and ${withoutSnapshot.peakMib ?? '?'} MiB; ` +
  `with a snapshot of ${mib(snapshot.bytes)} MiB ${withSnapshot.seconds} s and ${withSnapshot.peakMib ?? '?'} MiB`;

const write = async (
  { brokers }: Place,
  namespace: string,
  { story, events }: { readonly story: Story; readonly events: number },
): Promise<WrittenLane> => {
  const names = topicNames(namespace);
  const options = { brokers, clientId: 'bench', logger: silentLogger };
  await createKafkaTopics(options).ensure([...lanePlan(names, 1)]);
  const log = createKafkaLog(options);
  try {
    return await writeLane({ log, topics: names, story, events, after: Math.min(AFTER, Math.floor(events / 2)) });
  } finally {
    await log.close();
  }
};

/** A coordinator of its own for each: started, asked how long it took, and stopped. Null where it did so in several seats. */
const takeOver = async (
  { brokers, folder }: Place,
  namespace: string,
  { snapshots, size }: Wanted,
): Promise<TakenOver | null> => {
  const name = `coordinator-${namespace}-${Date.now()}`;
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    HOLDFAST_NAMESPACE: namespace,
    HOLDFAST_LANES: '1',
    HOLDFAST_HTTP_PORT: '0',
    HOLDFAST_SNAPSHOT_EVENTS: snapshots ? '1000000' : '0',
  };
  const { service } = await startProgram(name, serviceProgram('coordinator'), [], { env, folder, readyPath: null });
  try {
    const { tookMs, records, bytes, restored } = await leading(`${folder}/${name}.log`);
    if (restored > 0 !== snapshots || (!snapshots && records < size)) return null;
    return { seconds: round(tookMs / 1_000), recordsRead: records, mibRead: mib(bytes), peakMib: peakOf(service.pid) };
  } finally {
    await service.stop(4_000);
  }
};

type Wanted = { readonly snapshots: boolean; readonly size: number };
type Leading = { readonly tookMs: number; readonly records: number; readonly bytes: number; readonly restored: number };

const leading = async (logFile: string): Promise<Leading> => {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const line = readFileSync(logFile, 'utf8')
      .split('\n')
      .find((one) => one.includes('"leading the lane"'));
    if (line !== undefined) return JSON.parse(line) as Leading;
    await sleep(50);
  }
  throw new Error(`nobody leads the lane; see ${logFile}`);
};

/** The most memory that a process has had. */
const peakOf = (pid: number): number | null => {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? null : Math.round(Number(kib) / 1_024);
  } catch {
    return null;
  }
};

const median = (all: readonly TakenOver[]): TakenOver =>
  all.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(all.length / 2)] as TakenOver;
const round = (value: number): number => Math.round(value * 100) / 100;
const mib = (bytes: number): number => Math.round((bytes / MIB) * 10) / 10;
