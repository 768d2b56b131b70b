import { Inject, Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { TopicNames } from '@holdfast/contracts';
import { createMemoryLog, createMemoryTopics, LogUnavailable, MemoryCluster, type Log } from '@holdfast/log';
import { baseConfigSchema, type BaseConfig } from '../config/base-config.js';
import { Health } from '../health/health.js';
import type { Kafka } from '../kafka/kafka.js';
import { setting } from '../config/settings.js';
import { CONFIG, FATAL, LOG, TOPIC_NAMES, type Fatal } from '../tokens.js';
import type { Host } from './host.js';
import { runService } from './run-service.js';

const hosts: { stop(why: string): void }[] = [];

/** A process that can be told to stop and whose end can be awaited. */
class TestHost implements Host {
  readonly lines: Record<string, unknown>[] = [];
  readonly complaints: string[] = [];
  readonly printed: string[] = [];
  readonly args: string[] = [];
  readonly output = { write: (line: string) => void this.lines.push(JSON.parse(line) as Record<string, unknown>) };
  readonly env;
  readonly ended: Promise<number>;
  stop: (why: string) => void = () => undefined;
  exit: (code: number) => void = () => undefined;
  readonly onCrash = (): void => undefined;

  constructor(env: Record<string, string> = {}) {
    this.env = { KAFKA_BROKERS: 'memory:1', HOLDFAST_LANES: '2', ...env };
    this.ended = new Promise((resolve) => (this.exit = resolve));
    hosts.push(this);
  }
  complain = (message: string): void => void this.complaints.push(message);
  print = (text: string): void => void this.printed.push(text);
  onStop = (stop: (why: string) => void): void => {
    this.stop = stop;
  };
  said = (msg: string) => this.lines.find((line) => line['msg'] === msg);
}

const events: string[] = [];
const stuck: (() => void)[] = [];
let fatal: Fatal;

@Injectable()
class Worker implements OnApplicationBootstrap, OnApplicationShutdown {
  @Inject(TOPIC_NAMES) private readonly names!: TopicNames;

  constructor(
    @Inject(CONFIG) private readonly config: BaseConfig,
    @Inject(LOG) private readonly log: Log,
    @Inject(Health) private readonly health: Health,
    @Inject(FATAL) end: Fatal,
  ) {
    fatal = end;
  }
  async onApplicationBootstrap(): Promise<void> {
    const { end } = await this.log.bounds(this.names.cluster, 0);
    events.push(`began with ${this.config.lanes} lanes, ${end} fixed`);
    this.health.contribute('worker', () => ({ ok: false, detail: 'no seat yet' }));
  }
  async onApplicationShutdown(): Promise<void> {
    events.push('ended');
    if (this.config.namespace === 'stuck') await new Promise<void>((resolve) => stuck.push(resolve));
  }
}
@Module({ providers: [Worker] })
class WorkerModule {}

const memoryKafka = (wait: Kafka['wait'] = () => Promise.resolve()) => {
  const cluster = new MemoryCluster();
  const seats = { join: () => Promise.reject(new Error('no seats here')) };
  return () => ({ log: createMemoryLog(cluster), topics: createMemoryTopics(cluster), seats, wait });
};
const service = (kafka = memoryKafka()) => ({
  name: 'worker',
  config: baseConfigSchema,
  module: () => WorkerModule,
  kafka,
});
const get = async (host: TestHost, path: string) => {
  const response = await fetch(`http://127.0.0.1:${String(host.said('ready')?.['port'])}${path}`);
  return { status: response.status, body: (await response.json()) as unknown };
};

describe('running a service', () => {
  beforeEach(() => events.splice(0));
  // A real process is gone by then; here its sockets are still open.
  afterEach(() => {
    for (const host of hosts.splice(0)) host.stop('the test is over');
    for (const release of stuck.splice(0)) release();
  });

  it('begins when the cluster is prepared, tells how it is, and stops when it is told', async () => {
    const host = new TestHost();
    await runService(service(), host);
    expect(events).toStrictEqual(['began with 2 lanes, 1 fixed']);
    expect(host.said('ready')).toMatchObject({ service: 'worker', lanes: 2 });
    expect(await get(host, '/health')).toMatchObject({ status: 200, body: { status: 'alive', service: 'worker' } });
    expect(await get(host, '/ready')).toMatchObject({
      status: 503,
      body: { ready: false, reasons: ['worker: no seat yet'] },
    });
    expect((await get(host, '/nothing')).status).toBe(404);
    host.stop('SIGTERM');
    expect(await host.ended).toBe(0);
    expect(events).toContain('ended');
    expect(host.said('stopped')).toBeDefined();
  });

  it('does not wait longer than its time for parts that do not end', async () => {
    const host = new TestHost({ HOLDFAST_DRAIN_MS: '20', HOLDFAST_NAMESPACE: 'stuck' });
    await runService(service(), host);
    host.stop('SIGTERM');
    expect(await host.ended).toBe(0);
    expect(host.said('did not end in time: stopping as it is')).toBeDefined();
  });

  it('says what is wrong with its configuration', async () => {
    const host = new TestHost({ HOLDFAST_LANES: 'many' });
    await runService(service(), host);
    expect(await host.ended).toBe(1);
    expect(host.complaints[0]).toContain('HOLDFAST_LANES: expected a whole number from 1 to 1024; got "many"');
  });

  it('prints its configuration instead of running, and tells nobody a secret', async () => {
    const host = new TestHost({ HOLDFAST_LEASE_MS: '4000', DATABASE_URL: 'postgres://me:secret@here/db' });
    host.args.push('--print-config');
    const databaseUrl = setting('a URL', (text) => text, { variable: 'DATABASE_URL', secret: true }).describe('rows');
    const other = setting('text', (text) => text)
      .optional()
      .describe('something else');
    await runService({ ...service(), config: baseConfigSchema.extend({ databaseUrl, other }) }, host);
    expect(await host.ended).toBe(0);
    const [text = ''] = host.printed;
    expect(text).toContain('\nKAFKA_BROKERS=memory:1\n');
    expect(text).toMatch(/^# silence .*; a whole number from 100 .*\nHOLDFAST_LEASE_MS=4000$/m);
    expect(text).toContain('# (the default)\nHOLDFAST_QUEUES=default:4\n');
    expect(text).toContain('# DATABASE_URL: set, not shown');
    expect(text).toContain('# HOLDFAST_OTHER: not set');
    expect(text).not.toContain('secret@');
    expect(events).toEqual([]);
  });

  it('knows no other argument', async () => {
    const host = new TestHost();
    host.args.push('--print-config', '--lanes=3');
    await runService(service(), host);
    expect(await host.ended).toBe(2);
    expect(host.complaints).toEqual([
      expect.stringContaining('worker: --lanes=3 is not known; it knows --print-config'),
    ]);
  });

  it('is alive and not ready while it waits for the cluster, and can be stopped then', async () => {
    const host = new TestHost();
    let waiting = (): void => undefined;
    const waits = new Promise<void>((resolve) => (waiting = resolve));
    const wait: Kafka['wait'] = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')));
        waiting();
      });
    const running = runService(service(memoryKafka(wait)), host);
    await waits;
    host.stop('SIGINT');
    expect(await host.ended).toBe(0);
    await running;
    expect(host.said('ready')).toBeUndefined();
  });

  it('goes on trying while the cluster is too busy to prepare its topics, and says so', async () => {
    const host = new TestHost();
    const opened = memoryKafka()();
    let tries = 0;
    const ensure: typeof opened.topics.ensure = async (specs) => {
      if ((tries += 1) <= 2) throw new LogUnavailable('no broker has heard of a, created just now');
      return opened.topics.ensure(specs);
    };
    await runService(
      service(() => ({ ...opened, topics: { ...opened.topics, ensure } })),
      host,
    );
    expect(host.said('ready')).toBeDefined();
    expect(host.said('the topics cannot be prepared, trying again')).toMatchObject({
      detail: expect.stringContaining('heard of a'),
    });
  });

  it('ends with one line when going on would be wrong', async () => {
    const host = new TestHost();
    await runService(service(), host);
    fatal(new Error('lane 3 contradicts itself'));
    expect(await host.ended).toBe(1);
    expect(host.lines.at(-1)).toMatchObject({ level: 'fatal', msg: 'cannot go on: lane 3 contradicts itself' });
  });

  it('ends at once at a second signal', async () => {
    const host = new TestHost({ HOLDFAST_NAMESPACE: 'stuck' });
    await runService(service(), host);
    host.stop('SIGINT');
    host.stop('SIGINT');
    expect(await host.ended).toBe(1);
  });

  it('ends when the cluster cannot be used', async () => {
    const denied = new TestHost();
    await runService(service(memoryKafka(() => Promise.reject(new Error('login refused')))), denied);
    expect(await denied.ended).toBe(1);
    expect(denied.said('cannot go on: login refused')).toBeDefined();
  });
});
