import kafkajs from 'kafkajs';
import type { KafkaConfig } from 'kafkajs';

/**
 * The part of kafkajs 2.2.4 below its producer and consumer: one cluster object with its broker connections. The
 * factory hangs on the `Kafka` object under a symbol. The version is pinned exactly and the contract suite guards it.
 */
export type Cluster = {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  refreshMetadata(): Promise<void>;
  findTopicPartitionMetadata(
    topic: string,
  ): readonly { partitionId: number; leader: number; replicas: readonly number[] }[];
  findBroker(node: { nodeId: string }): Promise<Broker>;
  readonly brokerPool: { readonly brokers: Readonly<Record<string, Broker | undefined>>; readonly seedBroker: Broker };
};

export type Broker = {
  readonly connectionPool: { readonly host: string; readonly port: number; send<T>(call: RawCall<T>): Promise<T> };
  produce(request: ProduceRequest): Promise<ProduceAnswer>;
  fetch(request: FetchRequest): Promise<FetchAnswer>;
  listOffsets(request: OffsetsRequest): Promise<OffsetsAnswer>;
};

/** A request that kafkajs has no words for. */
export type RawCall<T> = {
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    encode(): Promise<{ readonly buf: Buffer; readonly buffer: Buffer }>;
  };
  readonly response: { decode(payload: Buffer): Promise<T>; parse(decoded: T): Promise<T> };
};

export type ProduceRequest = {
  readonly acks: -1;
  readonly timeout: number;
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly firstSequence: number;
      readonly messages: readonly Message[];
    }[];
  }[];
};

export type Message = {
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
};

export type ProduceAnswer = {
  readonly topics: readonly {
    readonly topicName: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly errorCode: number;
      readonly baseOffset: string;
      readonly logAppendTime: string;
    }[];
  }[];
};

export type FetchRequest = {
  readonly maxWaitTime: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly isolationLevel: 1;
  readonly rackId: '';
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly fetchOffset: string;
      readonly maxBytes: number;
    }[];
  }[];
};

export type FetchAnswer = {
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[];
};

export type FetchedPartition = {
  readonly partition: number;
  readonly highWatermark: string;
  readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[] | null;
  readonly messages: readonly FetchedMessage[];
};

export type FetchedMessage = {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | string | readonly (Buffer | string)[] | undefined>>;
  readonly isControlRecord: boolean;
  readonly batchContext?: { readonly inTransaction: boolean; readonly producerId: string };
};

export type OffsetsRequest = {
  readonly isolationLevel: 1;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly timestamp: number }[];
  }[];
};

export type OffsetsAnswer = {
  readonly responses: readonly {
    readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
  }[];
};

type CreateCluster = (settings: {
  metadataMaxAge: number;
  allowAutoTopicCreation: boolean;
  isolationLevel: 1;
}) => Cluster;

/** A cluster object with connections of its own. Throws when kafkajs no longer has the factory. */
export function createCluster(config: KafkaConfig): Cluster {
  const kafka = new kafkajs.Kafka(config);
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (symbol === undefined) throw new Error('kafkajs has no cluster factory: the pinned version is 2.2.4');
  const create = (kafka as unknown as Record<symbol, CreateCluster>)[symbol];
  if (create === undefined) throw new Error('kafkajs has no cluster factory: the pinned version is 2.2.4');
  return create({ metadataMaxAge: 300_000, allowAutoTopicCreation: false, isolationLevel: 1 });
}

/** The name of the broker's error code, or `null` when the error is not a broker's answer. */
export function answerType(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { type, cause } = error as Error & { type?: unknown };
  if (typeof type === 'string' && 'code' in error) return type;
  return cause === undefined ? null : answerType(cause);
}

export const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
