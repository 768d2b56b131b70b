import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { canBind, freePort } from './free-port.js';
import { serverProperties, type NodeAddress } from './kafka.config.js';
import { format, java, javaArgs, kafkaUuid, requireJars } from './kafka.jvm.js';
import { brokersAlive } from './kafka.probe.js';
import { scramArguments, securedBrokerAlive, securedProperties, type SecuredOptions } from './kafka.secured.js';
import { dataDir } from './paths.js';
import { spawnService, type Service } from './service.js';

const startMsMax = 60_000;
const stopMsMax = 5_000;

export type KafkaOptions = {
  /** Where data and logs go. Without it: a fresh folder under `.holdfast/data`, removed by `stop`. */
  readonly dir?: string;
  /** Brokers, each a controller too (default 1). With 3: replication 3, `min.insync.replicas` 2. */
  readonly nodes?: number;
  /** The brokers' ports, by node. Free ones where absent. */
  readonly ports?: readonly number[];
  /** Further broker settings, over the defaults. */
  readonly config?: Readonly<Record<string, string>>;
  /** Asks everybody who they are; for one node. */
  readonly secured?: SecuredOptions;
  /** Further JVM options, after the defaults. */
  readonly jvmArgs?: readonly string[];
};

export type KafkaNode = {
  readonly port: number;
  /** `host:port`. */
  readonly address: string;
  /** The JVM's pid; changes with `restart`. */
  readonly pid: number;
  readonly running: boolean;
  readonly logFile: string;
  /** Sends a signal to the JVM; resolves when it has ended, unless the signal only stops or continues it. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and data, killing it first if it runs. Resolves when it answers. */
  restart(): Promise<void>;
};

/** A real Kafka whose processes end with this one. Nodes are numbered from 0. */
export type KafkaCluster = {
  readonly brokers: string[];
  readonly pids: number[];
  readonly nodes: readonly KafkaNode[];
  /** SIGSTOP: the port still accepts connections, nobody answers. */
  freeze(node?: number): void;
  thaw(node?: number): void;
  /** SIGKILL. Data stays. */
  kill(node?: number): Promise<void>;
  restart(node?: number): Promise<void>;
  /** Ends all nodes; removes the data unless `dir` was given. */
  stop(): Promise<void>;
};

/** Starts a Kafka of one or more nodes on 127.0.0.1. Resolves when it serves. */
export const startKafka = async (options: KafkaOptions = {}): Promise<KafkaCluster> => {
  requireJars();
  const dir = options.dir ?? dataDir('kafka');
  const addresses = await chooseAddresses(options.nodes ?? 1, options.ports ?? []);
  const clusterId = kafkaUuid();
  const nodes = addresses.map((address) => new Node(address, join(dir, `node-${address.id}`), options));

  const stop = async () => {
    const keep = options.dir !== undefined;
    await Promise.all(nodes.map((node) => (keep ? node.stop() : node.kill('SIGKILL'))));
    if (!keep) rmSync(dir, { recursive: true, force: true });
  };
  try {
    for (const node of nodes) await node.prepare(clusterId, addresses);
    await Promise.all(nodes.map((node) => node.start(nodes.length)));
  } catch (error) {
    await stop();
    throw error;
  }
  return clusterOf(nodes, stop);
};

const clusterOf = (nodes: readonly Node[], stop: () => Promise<void>): KafkaCluster => {
  const at = (index: number): Node => {
    const node = nodes[index];
    if (node === undefined) throw new RangeError(`This Kafka has no node ${index}, only 0 to ${nodes.length - 1}.`);
    return node;
  };
  return {
    brokers: nodes.map(({ address }) => address),
    get pids() {
      return nodes.map(({ pid }) => pid);
    },
    nodes,
    freeze: (index = 0) => void at(index).kill('SIGSTOP'),
    thaw: (index = 0) => void at(index).kill('SIGCONT'),
    kill: (index = 0) => at(index).kill('SIGKILL'),
    restart: (index = 0) => at(index).restart(),
    stop,
  };
};

const chooseAddresses = async (count: number, ports: readonly number[]): Promise<NodeAddress[]> => {
  const addresses: NodeAddress[] = [];
  for (let index = 0; index < count; index += 1) {
    addresses.push({ id: index + 1, port: ports[index] ?? (await freePort()), controllerPort: await freePort() });
  }
  return addresses;
};

class Node implements KafkaNode {
  readonly port: number;
  readonly address: string;
  readonly logFile: string;
  private readonly config: string;
  private service: Service | null = null;

  constructor(
    private readonly place: NodeAddress,
    private readonly dir: string,
    private readonly options: KafkaOptions,
  ) {
    this.port = place.port;
    this.address = `127.0.0.1:${place.port}`;
    this.logFile = join(dir, 'broker.out');
    this.config = join(dir, 'server.properties');
  }

  get pid(): number {
    if (this.service === null) throw new Error(`The Kafka node on ${this.address} has not been started.`);
    return this.service.pid;
  }

  get running(): boolean {
    return this.service?.running ?? false;
  }

  async prepare(clusterId: string, all: readonly NodeAddress[]): Promise<void> {
    const { secured, config = {} } = this.options;
    const overrides = { ...(secured === undefined ? {} : securedProperties(this.place, secured)), ...config };
    const data = join(this.dir, 'data');
    mkdirSync(this.dir, { recursive: true });
    writeFileSync(this.config, serverProperties(this.place, all, data, overrides));
    const own = secured === undefined ? undefined : { config: this.config, args: scramArguments(secured) };
    await format(data, this.place.id, clusterId, own);
  }

  /** Resolves when this node answers and knows `brokersMin` brokers. */
  async start(brokersMin: number): Promise<void> {
    // Whoever listens there, perhaps another Kafka, would be taken for this one.
    if (!(await canBind(this.port))) throw new Error(`Kafka cannot start on ${this.address}: the port is in use.`);
    this.service = await spawnService({
      name: `Kafka on ${this.address}`,
      command: java(),
      args: javaArgs('kafka.Kafka', [this.config], this.options.jvmArgs),
      cwd: this.dir,
      logFile: this.logFile,
    });
    const deadline = performance.now() + startMsMax;
    while ((await this.alive()) < brokersMin) {
      if (!this.running) throw this.failure('ended while it started');
      if (performance.now() > deadline) throw this.failure(`did not serve within ${startMsMax / 1_000} s`);
      await pause(25);
    }
  }

  private alive(): Promise<number> {
    const { secured } = this.options;
    return secured === undefined ? brokersAlive(this.port) : securedBrokerAlive(this.port, secured.ca);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const ends = signal !== 'SIGSTOP' && signal !== 'SIGCONT';
    this.service?.kill(signal);
    if (ends) await this.service?.exited;
  }

  async stop(): Promise<void> {
    await this.service?.stop(stopMsMax);
  }

  async restart(): Promise<void> {
    if (this.running) await this.kill('SIGKILL');
    await this.start(1);
  }

  private failure(what: string): Error {
    const tail = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
    return new Error(`Kafka on ${this.address} ${what}. The end of its log (${this.logFile}):\n${tail}`);
  }
}
