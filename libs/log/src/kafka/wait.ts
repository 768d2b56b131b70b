import { withAdmin } from './admin.js';
import { Ending } from '../ending.js';
import { deniedReason } from './denied.js';
import { detailOf } from './internals.js';
import type { KafkaOptions } from './options.js';

export type WaitOptions = {
  /** Gives up when aborted. */
  readonly signal?: AbortSignal;
  /** Gives up after this time, in ms; waits for ever where absent. */
  readonly deadlineMs?: number;
  /** Told each time the reason for waiting changes. */
  readonly say?: (message: string) => void;
};

/** The cluster is there but does not let us in. Waiting does not help. */
export class KafkaAccessDenied extends Error {
  override readonly name = 'KafkaAccessDenied';
}

const TRY_MS = 5000;
const BETWEEN_MS = 500;

/**
 * Waits until the cluster answers a real request (a connection alone proves nothing on a port that wants a login).
 * Returns the number of brokers. Rejects with `KafkaAccessDenied` at once where trying again cannot help (a login, a
 * certificate, a port that speaks another way), otherwise with the last reason when aborted or late.
 */
export async function waitForCluster(options: KafkaOptions, wait: WaitOptions = {}): Promise<number> {
  const ending = new Ending();
  const end = (): void => ending.end();
  wait.signal?.addEventListener('abort', end, { once: true });
  try {
    return await keepTrying(options, wait, ending);
  } finally {
    wait.signal?.removeEventListener('abort', end);
  }
}

async function keepTrying(options: KafkaOptions, wait: WaitOptions, ending: Ending): Promise<number> {
  const giveUpAt = performance.now() + (wait.deadlineMs ?? Infinity);
  let said = '';
  for (;;) {
    const reason = await attempt(options);
    if (typeof reason === 'number') return reason;
    const message = `waiting for Kafka at ${options.brokers.join(', ')}: ${reason}`;
    if (message !== said) wait.say?.((said = message));
    if (wait.signal?.aborted === true || performance.now() >= giveUpAt) throw new Error(message);
    await ending.pause(Math.min(BETWEEN_MS, giveUpAt - performance.now()));
  }
}

/** The number of brokers, or why there is no answer. */
async function attempt(options: KafkaOptions): Promise<number | string> {
  try {
    const { brokers } = await withAdmin(options, TRY_MS, (admin) => admin.describeCluster());
    return brokers.length;
  } catch (error) {
    const denied = await deniedReason(options, error);
    const where = `Kafka at ${options.brokers.join(', ')}`;
    if (denied !== null) throw new KafkaAccessDenied(`${where} does not let this in: ${denied}`, { cause: error });
    return detailOf(error);
  }
}
