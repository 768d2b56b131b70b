import { encode, lanePlan, queuePlan, topicNames, type Beat, type DeadLetter } from '@holdfast/contracts';
import { createMemoryLog, createMemoryTopics, MemoryCluster } from '@holdfast/log';
import { createClient } from '@holdfast/sdk';
import { memoryAcls } from './cli.fixture.js';
import { runCli } from './cli.js';
import type { Fetch } from './views/gateway.js';

export const names = topicNames('holdfast');
const LANES = 2;
const outer = { version: 1, id: 'x', source: 'test', subject: null, time: '', principal: null };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

export type Namespace = {
  /** Histories by their lanes, as coordinators have written them. */
  readonly histories?: Readonly<Record<number, { readonly history: { readonly values: readonly Uint8Array[] } }>>;
  readonly letters?: readonly DeadLetter[];
  readonly beats?: readonly Pick<Beat, 'type' | 'data'>[];
  /** The topics of lanes and of a queue are there, and the number of lanes is fixed. */
  readonly prepared?: boolean;
  readonly fetch?: Fetch;
  readonly env?: Readonly<Record<string, string>>;
  readonly tty?: boolean;
};

/** A command line before a namespace in memory: what it reads is what stands in the log. */
export const namespace = async (settings: Namespace = {}) => {
  const cluster = new MemoryCluster();
  const topics = createMemoryTopics(cluster);
  if (settings.prepared !== false) await prepare(cluster, settings);
  const log = createMemoryLog(cluster, { pollMs: 5 });
  const client = createClient({ log });
  open.push(client, log);
  const out: string[] = [];
  const err: string[] = [];
  const run = (...args: string[]): Promise<number> =>
    runCli(args, {
      out: { write: (text) => out.push(text), isTTY: settings.tty ?? false },
      err: { write: (text) => err.push(text) },
      env: settings.env ?? {},
      connect: async () => ({
        client,
        log,
        names,
        topics,
        acls: memoryAcls(),
        brokers: 1,
        close: async () => undefined,
      }),
      interrupted: () => new AbortController().signal,
      ...(settings.fetch === undefined ? {} : { fetch: settings.fetch }),
    });
  const lines = (): readonly Record<string, unknown>[] =>
    out
      .join('')
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { run, cluster, out: () => out.join(''), err: () => err.join(''), lines };
};

const prepare = async (
  cluster: MemoryCluster,
  { histories = {}, letters = [], beats = [] }: Namespace,
): Promise<void> => {
  await createMemoryTopics(cluster).ensure([...lanePlan(names, LANES), ...queuePlan(names, 'default', 2)]);
  const value = encode({ ...outer, type: 'LanesFixed', data: { lanes: LANES, namespace: 'holdfast' } });
  cluster.partition(names.cluster, 0).append([{ key: 'lanes', value }]);
  for (const [lane, { history }] of Object.entries(histories)) {
    cluster.partition(names.history, Number(lane)).append(history.values.map((one) => ({ key: null, value: one })));
  }
  cluster.partition(names.deadLetters, 1).append(letters);
  for (const beat of beats) {
    cluster.partition(names.heartbeats, 0).append([{ key: null, value: encode({ ...outer, ...beat }) }]);
  }
};

/** A gateway that answers by method and path; `asked` is what it was asked. */
export const gateway = (answers: Readonly<Record<string, readonly [number, unknown]>>) => {
  const asked: { readonly url: string; readonly init: RequestInit }[] = [];
  const fetch: Fetch = async (url, init) => {
    asked.push({ url, init });
    const { pathname } = new URL(url);
    const [status, body] = answers[`${init.method ?? 'GET'} ${pathname}`] ?? [404, 'nothing is there'];
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
  };
  return { fetch, asked };
};
