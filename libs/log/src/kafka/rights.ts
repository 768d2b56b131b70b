import { kafkaConfig } from './options.js';
import type { KafkaOptions } from './options.js';
import { deniedWords, principalOf } from './access.js';
import { createCluster } from './internals.js';
import type { Cluster, RawCall } from './internals.js';
import { within } from './deadline.js';

/** What a process must be able to do with topics, and the groups that it will be a member of. */
export type Needs = {
  readonly topics: readonly { readonly topic: string; readonly operations: readonly ('read' | 'write')[] }[];
  readonly groups: readonly string[];
};

const TIMEOUT_MS = 10_000;
const REQUEST_MS = 5_000;
/** The bit of an operation in the answer is its number. */
const BITS = { read: 3, write: 4 } as const;

/** What of it the brokers would refuse, each as a sentence that says what grants it. Where nothing is protected: nothing. */
export const missingRights = async (options: KafkaOptions, needs: Needs): Promise<readonly string[]> => {
  const cluster = createCluster(kafkaConfig(options, options.brokers, REQUEST_MS));
  try {
    return await within(ask(cluster, principalOf(options), needs), TIMEOUT_MS, 'asking for the own rights');
  } finally {
    void cluster.disconnect().catch(() => undefined);
  }
};

const ask = async (cluster: Cluster, principal: string, { topics, groups }: Needs): Promise<readonly string[]> => {
  await cluster.connect();
  const { connectionPool } = cluster.brokerPool.seedBroker;
  const operations = await connectionPool.send(call(METADATA, request(topics.map(({ topic }) => topic)), answered));
  const denied = topics.flatMap(({ topic, operations: needed }) =>
    needed.flatMap((operation) => {
      const granted = operations.get(topic) ?? 0;
      return (granted & (1 << BITS[operation])) === 0 ? [deniedWords(principal, operation, topic)] : [];
    }),
  );
  for (const group of groups) {
    const error = await connectionPool.send(call(FIND_COORDINATOR, text(group), (payload) => payload.readInt16BE(0)));
    if (error === GROUP_AUTHORIZATION_FAILED) denied.push(deniedWords(principal, 'join', `the group ${group}`));
  }
  return denied;
};

/** The first version of Metadata that tells what one may do with each topic; kafkajs knows none so late. */
const METADATA = { apiKey: 3, apiVersion: 8, apiName: 'Metadata' } as const;
/** kafkajs has this one, and does not tell why it was refused. */
const FIND_COORDINATOR = { apiKey: 10, apiVersion: 0, apiName: 'FindCoordinator' } as const;
const GROUP_AUTHORIZATION_FAILED = 30;
const TOPIC_AUTHORIZATION_FAILED = 29;
const NOT_TOLD = -2_147_483_648;
const EVERYTHING = -1;

const call = <T>(
  api: typeof METADATA | typeof FIND_COORDINATOR,
  bytes: Buffer,
  read: (payload: Buffer) => T,
): RawCall<T> => ({
  request: { ...api, encode: async () => ({ buf: bytes, buffer: bytes }) },
  response: { decode: async (payload) => read(payload), parse: async (decoded) => decoded },
});

const request = (topics: readonly string[]): Buffer =>
  Buffer.concat([
    int32(topics.length),
    ...topics.map(text),
    // No creation of topics, nothing about the cluster, but about the topics.
    Buffer.from([0, 0, 1]),
  ]);

const answered = (payload: Buffer): ReadonlyMap<string, number> => {
  const bytes = new Bytes(payload);
  bytes.int32(); // throttle time
  bytes.list(() => [bytes.int32(), bytes.text(), bytes.int32(), bytes.text()]);
  bytes.text(); // cluster id
  bytes.int32(); // controller
  const numbers = () => bytes.list(() => bytes.int32());
  const partition = () => [bytes.int16(), bytes.int32(), bytes.int32(), bytes.int32(), numbers(), numbers(), numbers()];
  const topics = bytes.list((): [string, number] => {
    const error = bytes.int16();
    const topic = bytes.text();
    bytes.int8(); // internal
    bytes.list(partition);
    const operations = bytes.int32();
    if (error === TOPIC_AUTHORIZATION_FAILED) return [topic, 0];
    // One that is not there yet is nobody's business yet.
    return [topic, operations === NOT_TOLD ? EVERYTHING : operations];
  });
  return new Map(topics);
};

/** Reads an answer field by field. */
class Bytes {
  private at = 0;
  constructor(private readonly all: Buffer) {}

  int8(): number {
    return this.all.readInt8((this.at += 1) - 1);
  }
  int16(): number {
    return this.all.readInt16BE((this.at += 2) - 2);
  }
  int32(): number {
    return this.all.readInt32BE((this.at += 4) - 4);
  }
  text(): string {
    const length = Math.max(0, this.int16());
    return this.all.toString('utf8', this.at, (this.at += length));
  }
  list<T>(one: () => T): readonly T[] {
    return Array.from({ length: Math.max(0, this.int32()) }, one);
  }
}

const text = (value: string): Buffer => Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
