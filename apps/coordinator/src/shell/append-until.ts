import type { Appended, Entry, Log } from '@holdfast/log';
import type { Timer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';

const PAUSE_MS = 100;

export type Target = { readonly topic: string; readonly partition: number };

/** The broker will never take it. */
export class NeverAccepted extends Error {
  override readonly name = 'NeverAccepted';
}

/**
 * Appends until it is acknowledged, for records whose repeats are harmless. Answers the offset, or null when `wanted`
 * says that nobody needs it any more. Rejects with `NeverAccepted` for what the broker
 * refuses for good, for example for its size.
 */
export const appendUntilAcknowledged = async (
  parts: { readonly log: Log; readonly timer: Timer; readonly logger: ServiceLogger },
  { topic, partition }: Target,
  entries: readonly Entry[],
  wanted: () => boolean,
): Promise<number | null> => {
  while (wanted()) {
    const answer: Appended = await parts.log.append(topic, partition, entries);
    if (answer.outcome === 'appended') return answer.offset;
    parts.logger.warn(
      { topic, partition, outcome: answer.outcome, detail: answer.detail },
      'not acknowledged, trying again',
    );
    if (answer.outcome === 'refused' && answer.reason !== 'unknown_partition' && answer.reason !== 'denied')
      throw new NeverAccepted(`${topic}/${partition}: ${answer.detail}`);
    await new Promise<void>((resolve) => void parts.timer.after(PAUSE_MS, resolve));
  }
  return null;
};
