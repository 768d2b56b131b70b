import { createCluster, answerType } from './internals.js';
import type { Broker, Cluster } from './internals.js';
import { within } from './deadline.js';
import { kafkaConfig } from './options.js';
import type { KafkaOptions } from './options.js';

/** The cluster says that the topic or partition does not exist (or has not heard of it yet). Nothing was sent. */
export class UnknownPartition extends Error {
  override readonly name = 'UnknownPartition';
}

/** Where a partition's leader is, on which session. */
export type Leader = { readonly session: Session; readonly node: string; readonly broker: Broker };

/**
 * One cluster object, connected through one seed. It is thrown away as a whole when a broker fails it, since kafkajs
 * may go on asking a frozen broker, or stay bricked after a failed connect. `suspects` are the nodes that failed.
 */
export class Session {
  readonly suspects = new Set<string>();
  private readonly cluster: Cluster;
  private readonly loaded = new Set<string>();
  private loading: Promise<void> = Promise.resolve();

  constructor(
    options: KafkaOptions,
    readonly seed: string,
    private readonly requestTimeoutMs: number,
  ) {
    this.cluster = createCluster(kafkaConfig(options, [seed], requestTimeoutMs));
  }

  async connect(): Promise<void> {
    await within(this.cluster.connect(), this.requestTimeoutMs, `connecting to ${this.seed}`);
  }

  /** The leader known for a partition, without asking anybody. */
  known(topic: string, partition: number): string | null {
    const found = this.found(topic, partition);
    return found === undefined ? null : String(found.leader);
  }

  /** On how many brokers a partition is kept; 0 where it is not known. */
  copies(topic: string, partition: number): number {
    return this.found(topic, partition)?.replicas.length ?? 0;
  }

  /** The leader of a partition; asks for metadata when it is not known. Rejects with `UnknownPartition`. */
  async leader(topic: string, partition: number): Promise<string> {
    const known = this.known(topic, partition);
    if (known !== null) return known;
    const load = this.loading.then(() => this.load(topic, partition));
    this.loading = load.catch(() => undefined);
    await within(load, this.requestTimeoutMs, `metadata of ${topic}`);
    const node = this.known(topic, partition);
    if (node === null) throw new UnknownPartition(`${topic} has no partition ${partition}`);
    return node;
  }

  async broker(node: string): Promise<Broker> {
    return within(this.cluster.findBroker({ nodeId: node }), this.requestTimeoutMs, `connecting to broker ${node}`);
  }

  /** `host:port` of a node, where it is known. */
  address(node: string): string | null {
    const pool = this.cluster.brokerPool.brokers[node]?.connectionPool;
    return pool === undefined ? null : `${pool.host}:${pool.port}`;
  }

  /** Ends the connections behind the requests that are under way; never rejects, needs no waiting for. */
  async dispose(): Promise<void> {
    await this.cluster.disconnect().catch(() => undefined);
  }

  private found(topic: string, partition: number) {
    if (!this.loaded.has(topic)) return undefined;
    return this.cluster.findTopicPartitionMetadata(topic).find(({ partitionId }) => partitionId === partition);
  }

  /** Loads are one after the other: kafkajs joins a refresh to one that runs already and may not know the topic. */
  private async load(topic: string, partition: number): Promise<void> {
    if (this.known(topic, partition) !== null) return;
    try {
      if (this.loaded.has(topic)) return await this.cluster.refreshMetadata();
      await this.cluster.addMultipleTargetTopics([topic]);
      this.loaded.add(topic);
    } catch (error) {
      const type = answerType(error);
      if (type === 'UNKNOWN_TOPIC_OR_PARTITION') throw new UnknownPartition(`no topic ${topic}`, { cause: error });
      throw error;
    }
  }
}
