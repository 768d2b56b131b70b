import kafkajs from 'kafkajs';
import type { Admin } from 'kafkajs';
import { within } from './deadline.js';
import { kafkaConfig } from './options.js';
import type { KafkaOptions } from './options.js';

/** Joining a group and finding a controller meet passing errors in a healthy cluster; a few quick tries pass over them. */
export const FEW_RETRIES = { retries: 3, initialRetryTime: 100, maxRetryTime: 1000 } as const;

/** Runs one piece of work on a fresh admin connection and ends it. Rejects after `ms` whatever the broker does. */
export async function withAdmin<T>(options: KafkaOptions, ms: number, work: (admin: Admin) => Promise<T>): Promise<T> {
  const config = { ...kafkaConfig(options, options.brokers, Math.min(ms, 5000)), retry: FEW_RETRIES };
  const admin = new kafkajs.Kafka(config).admin();
  try {
    const run = async (): Promise<T> => {
      await admin.connect();
      return work(admin);
    };
    return await within(run(), ms, `Kafka at ${options.brokers.join(', ')}`);
  } finally {
    void admin.disconnect().catch(() => undefined);
  }
}
