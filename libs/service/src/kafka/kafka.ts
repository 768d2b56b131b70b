import { createKafkaLog, createKafkaSeats, createKafkaTopics, waitForCluster } from '@holdfast/log';
import type { Log, Seats, Topics } from '@holdfast/log';
import type { BaseConfig } from '../config/base-config.js';
import type { ServiceLogger } from '../logger.js';

/** The cluster as services see it. */
export type Kafka = {
  readonly log: Log;
  readonly seats: Seats;
  readonly topics: Topics;
  /** Goes on trying, and saying so, until the cluster answers; rejects when aborted or when the login is refused. */
  wait(signal: AbortSignal): Promise<void>;
};

export type KafkaFactory = (config: BaseConfig, logger: ServiceLogger, service: string) => Kafka;

/** Connects lazily: nothing is asked of the cluster before `wait`. */
export const openKafka: KafkaFactory = (config, logger, service) => {
  const clientId = `${config.namespace}.${service}.${config.instance}`;
  const options = { brokers: config.kafkaBrokers, clientId, logger };
  return {
    log: createKafkaLog(options),
    seats: createKafkaSeats(options),
    topics: createKafkaTopics(options),
    wait: async (signal) => {
      await waitForCluster(options, { signal, say: (message) => logger.warn(message) });
    },
  };
};
