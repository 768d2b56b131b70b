import { LogUnavailable, type Entry, type Log } from '@holdfast/log';

const TRIES_MAX = 5;

/**
 * Appends a record that may be there twice without harm: an append without an answer is sent again, a few times. Rejects
 * with `LogUnavailable` when none was answered, with an `Error` when it was refused.
 */
export const appendSurely = async (
  log: Log,
  place: { readonly topic: string; readonly partition: number },
  record: Entry,
): Promise<void> => {
  let why = '';
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const appended = await log.append(place.topic, place.partition, [record]);
    if (appended.outcome === 'appended') return;
    why = appended.detail;
    if (appended.outcome === 'refused') throw new Error(`${place.topic} does not take a record: ${why}`);
  }
  throw new LogUnavailable(`${place.topic} did not answer ${TRIES_MAX} appends: ${why}`);
};
