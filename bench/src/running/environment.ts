import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openKafka, serviceProgram, stateDir, type Service } from '@holdfast/dev';
import type { Effect } from '../effects/effect-server.js';
import { startProgram, type Started } from './service.js';

/** A real broker, an effect server and one each of the services, all in processes of their own. */
export type Environment = {
  readonly brokers: readonly string[];
  readonly ownKafka: boolean;
  readonly namespace: string;
  readonly folder: string;
  effects(): Promise<readonly Effect[]>;
  /** Rejects when one of the processes ends by itself; never fulfilled. */
  readonly broken: Promise<never>;
  stop(): Promise<void>;
};

const STOP_MS = 4_000;

export const openEnvironment = async (onOpen: (close: () => Promise<void>) => void): Promise<Environment> => {
  const folder = join(
    stateDir,
    'bench',
    `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${process.pid}`,
  );
  mkdirSync(folder, { recursive: true });
  const kafka = await openKafka();
  const started: Started[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(({ service }) => service.stop(STOP_MS)));
    await kafka.stop();
  };
  onOpen(stop);
  const namespace = `bench-${Date.now()}`;
  const server = await startProgram(
    'effects',
    join(import.meta.dirname, '..', 'effects', 'main.js'),
    [join(folder, 'ledger.jsonl')],
    { env: {}, folder, readyPath: null },
  );
  started.push(server);
  const url = `http://127.0.0.1:${server.httpPort}`;
  const env = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    HOLDFAST_NAMESPACE: namespace,
    HOLDFAST_TOOLS: join(import.meta.dirname, '..', 'tools.js'),
    HOLDFAST_HTTP_PORT: '0',
    HOLDFAST_DRAIN_MS: '3000',
    EFFECTS_URL: url,
  };
  const app = (name: string): Promise<Started> =>
    startProgram(name, serviceProgram(name), [], { env, folder, readyPath: '/ready' });
  started.push(...(await Promise.all(['coordinator', 'executor', 'reconciler'].map(app))));
  const broken = Promise.race(started.map(({ service }) => endOf(service, folder)));
  broken.catch(() => undefined);
  return {
    broken,
    brokers: kafka.brokers,
    ownKafka: kafka.owned,
    namespace,
    folder,
    effects: () => effectsAt(url),
    stop,
  };
};

const endOf = async (service: Service, folder: string): Promise<never> => {
  await service.exited;
  throw new Error(`${service.name} ended by itself; look into ${folder}`);
};

const effectsAt = async (url: string): Promise<readonly Effect[]> => {
  const response = await fetch(`${url}/effects`);
  return ((await response.json()) as { effects: Effect[] }).effects;
};
