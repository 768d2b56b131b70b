import { LogUnavailable, type Entry, type Log } from '@holdfast/log';
import { systemTimer, type Timer } from '@holdfast/sdk';

/** Before each further try. */
const PAUSES_MS = [100, 200, 400, 800, 1_600];

/**
 * Appends a record that may be there twice without harm: an append without an answer is sent again, a few times. Rejects
 * with `LogUnavailable` when none was answered, with an `Error` when it was refused.
 */
export const appendSurely = async (
  log: Log,
  place: { readonly topic: string; readonly partition: number },
  record: Entry,
  timer: Timer = systemTimer,
): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    const appended = await log.append(place.topic, place.partition, [record]);
    if (appended.outcome === 'appended') return;
    const { detail } = appended;
    // A partition that was just made may not be known everywhere yet.
    const final = appended.outcome === 'refused' && appended.reason !== 'unknown_partition';
    if (final) throw new Error(`${place.topic} does not take a record: ${detail}`);
    const pauseMs = PAUSES_MS[tries];
    if (pauseMs === undefined)
      throw new LogUnavailable(`${place.topic} did not answer ${tries + 1} appends: ${detail}`);
    await new Promise<void>((resolve) => timer.after(pauseMs, resolve));
  }
};
