import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serviceEnv, type ServiceKind } from '@holdfast/chaos';
import { topicNames, type TopicNames } from '@holdfast/contracts';
import { dataDir, eventually, serviceProgram } from '@holdfast/dev';
import { createKafkaLog, type Log } from '@holdfast/log';
import { ledgerProgram } from '@holdfast/matrix';
import { createClient, silentLogger, type Client } from '@holdfast/sdk';
import { compiledProgram } from './compiled.js';
import { Ledger } from './ledger.js';
import { Member } from './member.js';
import { Runs } from './runs.js';

export type WorldOptions = {
  readonly brokers: readonly string[];
  readonly lanes?: number;
  /** Partitions of the queue; default 4. */
  readonly partitions?: number;
  /** Modules and tool files beside the tools that all worlds have. */
  readonly tools?: readonly string[];
  /** Further variables for all services. */
  readonly env?: Readonly<Record<string, string>>;
};

const STOP_MS = 6_000;
/** Longer than where services are struck all the time: tests look at what happens before it. */
const CANCEL_MS = '20000';

/**
 * Services of one namespace, each in a process of its own, and a ledger of what they do outside. Several worlds share a
 * cluster without seeing each other. A service is named `kind-number`; `start('executor-2')` makes a second executor.
 */
export class World {
  readonly namespace = `e2e-${randomBytes(4).toString('hex')}`;
  readonly names: TopicNames = topicNames(this.namespace);
  readonly folder = dataDir('e2e');
  readonly log: Log;
  readonly client: Client;
  readonly runs: Runs;
  readonly ledger = new Ledger(this.folder, ledgerProgram);
  private readonly members = new Map<string, Member>();

  constructor(readonly options: WorldOptions) {
    mkdirSync(this.folder, { recursive: true });
    this.log = createKafkaLog({ brokers: options.brokers, clientId: `${this.namespace}.test`, logger: silentLogger });
    this.client = createClient({ log: this.log, namespace: this.namespace });
    this.runs = new Runs(this.client, () => this.logs());
  }

  /** A world with one service of each kind, unless others are named; all are ready. */
  static async open(
    options: WorldOptions,
    services: readonly string[] = ['coordinator-1', 'executor-1', 'reconciler-1'],
  ): Promise<World> {
    const world = new World(options);
    try {
      await world.ledger.start();
      await world.start(...services);
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  /** Starts services, new ones or ones that have ended, and waits until they can work. */
  async start(...services: readonly string[]): Promise<void> {
    await Promise.all(services.map((name) => this.member(name).start()));
  }

  /** From now on exactly these executors run: others are asked to end, missing ones are started. */
  async onlyExecutors(...names: readonly string[]): Promise<void> {
    const others = [...this.members.values()].filter(
      (member) => member.running && member.name.startsWith('executor') && !names.includes(member.name),
    );
    await Promise.all(others.map((member) => member.stop(STOP_MS)));
    await this.start(...names.filter((name) => !this.member(name).running));
  }

  /** Waits until each of these coordinators leads a lane. */
  async leads(...names: readonly string[]): Promise<void> {
    await eventually(
      `${names.join(', ')} lead lanes`,
      async () => {
        const led = await Promise.all(names.map((name) => this.member(name).dataOf('lanes')));
        return led.every((lanes) => ((lanes as { readonly lanes?: readonly number[] } | null)?.lanes?.length ?? 0) > 0);
      },
      60_000,
    );
  }

  member(name: string): Member {
    const known = this.members.get(name);
    if (known !== undefined) return known;
    const member = new Member(this.planOf(name));
    this.members.set(name, member);
    return member;
  }

  /** Ends everything at once. */
  async close(): Promise<void> {
    await Promise.all([...this.members.values()].map((member) => member.killWhole()));
    await this.ledger.stop(STOP_MS);
    await this.client.close();
    await this.log.close();
  }

  private planOf(name: string): ConstructorParameters<typeof Member>[0] {
    const kind = name.slice(0, name.indexOf('-')) as ServiceKind;
    const { brokers, lanes = 4, partitions = 4, tools = [], env = {} } = this.options;
    const { namespace } = this;
    const queues = { default: partitions };
    return {
      name,
      main: serviceProgram(kind),
      logFile: join(this.folder, `${name}.log`),
      env: {
        ...serviceEnv({ kind, name, brokers, namespace, lanes, queues, tools: [compiledProgram('tools'), ...tools] }),
        LEDGER_URL: this.ledger.url,
        ...(kind === 'coordinator' ? { HOLDFAST_CANCEL_MS: CANCEL_MS } : {}),
        ...ofKind(kind, env),
      },
    };
  }

  private logs(): string {
    return `the services' logs are in ${this.folder}`;
  }
}

/** A service refuses variables that are not its own; `coordinator:NAME` is for coordinators only. */
const ofKind = (kind: ServiceKind, env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const [only, variable] = name.includes(':') ? name.split(':') : [kind, name];
      return only === kind && variable !== undefined ? [[variable, value]] : [];
    }),
  );
