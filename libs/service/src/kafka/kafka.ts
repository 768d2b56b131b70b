import { createKafkaLog, createKafkaSeats, createKafkaTopics, missingRights, waitForCluster } from '@holdfast/log';
import type { Log, Needs, Seats, Topics } from '@holdfast/log';
import type { BaseConfig } from '../config/base-config.js';
import { accessOf } from '../config/kafka-settings.js';
import type { ServiceLogger } from '../logger.js';

/** The cluster as services see it. */
export type Kafka = {
  readonly log: Log;
  readonly seats: Seats;
  readonly topics: Topics;
  /** Goes on trying, and saying so, until the cluster answers; rejects when aborted or when the login is refused. */
  wait(signal: AbortSignal): Promise<void>;
  /** What of these needs the brokers would refuse, in sentences; absent where nobody can refuse anything. */
  readonly missing?: (needs: Needs) => Promise<readonly string[]>;
};

export type KafkaFactory = (config: BaseConfig, logger: ServiceLogger, service: string) => Kafka;

/** Connects lazily: nothing is asked of the cluster before `wait`. */
export const openKafka: KafkaFactory = (config, logger, service) => {
  const clientId = `${config.namespace}.${service}.${config.instance}`;
  const options = { ...accessOf(config), brokers: config.kafkaBrokers, clientId, logger };
  const isSomebody = options.login !== undefined || options.tls?.cert !== undefined;
  return {
    ...(isSomebody ? { missing: (needs: Needs) => missingRights(options, needs) } : {}),
    log: createKafkaLog(options),
    seats: createKafkaSeats(options),
    topics: createKafkaTopics(options),
    wait: async (signal) => {
      await waitForCluster(options, { signal, say: (message) => logger.warn(message) });
    },
  };
};
