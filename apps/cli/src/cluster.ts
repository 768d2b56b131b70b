import { createKafkaLog, KafkaAccessDenied, waitForCluster } from '@holdfast/log';
import { createClient, silentLogger, type Client } from '@holdfast/sdk';
import { EXIT, Problem } from './problem.js';

export type ClusterOptions = { readonly brokers: string; readonly namespace: string };

/** A client of a cluster that answers. */
export type Connection = { readonly client: Client; close(): Promise<void> };
export type Connect = (options: ClusterOptions) => Promise<Connection>;

const PATIENCE_MS = 8_000;

/** Connects, or says within some seconds why that cannot be. */
export const connect: Connect = async ({ brokers, namespace }) => {
  const options = { brokers: seedsOf(brokers), clientId: 'holdfast-cli', logger: silentLogger };
  await reach(options);
  const log = createKafkaLog(options);
  const client = createClient({ log, namespace });
  const close = async (): Promise<void> => {
    await client.close();
    await log.close();
  };
  return { client, close };
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

/** Until the cluster answers; says within some seconds why that cannot be. */
export const reach = async (options: Parameters<typeof waitForCluster>[0]): Promise<void> => {
  try {
    await waitForCluster(options, { deadlineMs: PATIENCE_MS });
  } catch (error) {
    const why = (error as Error).message.replace(/^waiting for Kafka at [^:]+:\d+[^:]*: /, '');
    const advice =
      error instanceof KafkaAccessDenied
        ? 'Check the login that the brokers ask for.'
        : 'Check that Kafka runs there and that --brokers or KAFKA_BROKERS names it.';
    throw new Problem(EXIT.unreachable, `cannot reach Kafka at ${options.brokers.join(', ')}: ${why}`, advice);
  }
};
