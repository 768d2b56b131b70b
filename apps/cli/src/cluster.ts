import { topicNames, type TopicNames } from '@holdfast/contracts';
import {
  createKafkaAcls,
  createKafkaLog,
  createKafkaTopics,
  KafkaAccessDenied,
  waitForCluster,
  type Acls,
  type KafkaOptions,
  type Log,
  type Topics,
} from '@holdfast/log';
import { createClient, silentLogger, type Client } from '@holdfast/sdk';
import { accessFrom } from '@holdfast/service/kafka-settings';
import { EXIT, Problem } from './problem.js';

export type ClusterOptions = { readonly brokers: string; readonly namespace: string };

/** A cluster that answers: a client of it, and its log itself. */
export type Connection = {
  readonly client: Client;
  readonly log: Log;
  readonly names: TopicNames;
  readonly topics: Topics;
  readonly acls: Acls;
  /** How many brokers answer. */
  readonly brokers: number;
  close(): Promise<void>;
};
export type Connect = (options: ClusterOptions) => Promise<Connection>;

const PATIENCE_MS = 8_000;

type Env = Readonly<Record<string, string | undefined>>;

/** The brokers, and how this environment says that they let one in. */
export const kafkaOptions = (brokers: string, env: Env): KafkaOptions => {
  const seeds = { brokers: seedsOf(brokers), clientId: 'holdfast-cli', logger: silentLogger };
  try {
    return { ...accessFrom(env), ...seeds };
  } catch (error) {
    throw new Problem(EXIT.usage, (error as Error).message, 'See docs/security.md.');
  }
};

/** Connects, or says within some seconds why that cannot be. */
export const connectWith =
  (env: Env): Connect =>
  async ({ brokers, namespace }) => {
    const options = kafkaOptions(brokers, env);
    const count = await reach(options);
    const log = createKafkaLog(options);
    const client = createClient({ log, namespace });
    const close = async (): Promise<void> => {
      await client.close();
      await log.close();
    };
    return {
      client,
      log,
      names: topicNames(namespace),
      topics: createKafkaTopics(options),
      acls: createKafkaAcls(options),
      brokers: count,
      close,
    };
  };

/** The brokers out of `host:port,…`. */
export const seedsOf = (brokers: string): readonly string[] => {
  const seeds = brokers
    .split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '');
  if (seeds.length > 0) return seeds;
  throw new Problem(EXIT.usage, 'no broker is named', 'Give --brokers host:port, or set KAFKA_BROKERS.');
};

/** How many brokers there are, once the cluster answers; says within some seconds why that cannot be. */
export const reach = async (options: Parameters<typeof waitForCluster>[0]): Promise<number> => {
  try {
    return await waitForCluster(options, { deadlineMs: PATIENCE_MS });
  } catch (error) {
    const why = (error as Error).message.replace(/^waiting for Kafka at [^:]+:\d+[^:]*: /, '');
    const advice =
      error instanceof KafkaAccessDenied
        ? 'See docs/security.md.'
        : 'Check that Kafka runs there and that --brokers or KAFKA_BROKERS names it.';
    throw new Problem(EXIT.unreachable, `cannot reach Kafka at ${options.brokers.join(', ')}: ${why}`, advice);
  }
};
