import { startKafka, type KafkaOptions } from './kafka.js';

/** Brokers to work with, wherever they come from. */
export type OpenedKafka = {
  readonly brokers: string[];
  /** Whether this process started them; brokers of others are left as they are. */
  readonly owned: boolean;
  stop(): Promise<void>;
};

/** The brokers named by `KAFKA_BROKERS` (host:port, comma separated), or else a Kafka started for this process. */
export const openKafka = async (options: KafkaOptions = {}): Promise<OpenedKafka> => {
  const named = (process.env['KAFKA_BROKERS'] ?? '').split(',').map((broker) => broker.trim());
  const brokers = named.filter((broker) => broker !== '');
  if (brokers.length > 0) return { brokers, owned: false, stop: async () => undefined };

  const cluster = await startKafka(options);
  return { brokers: cluster.brokers, owned: true, stop: () => cluster.stop() };
};
