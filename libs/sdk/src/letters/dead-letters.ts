import { readDeadLetter, readResent, resentLetter, type DeadLetterNote, type TopicNames } from '@holdfast/contracts';
import { LogUnavailable, type Entry, type Log } from '@holdfast/log';
import type { Client } from '../client/client.js';
import type { Answer } from '../client/client-error.js';
import { patiently } from '../log/patiently.js';
import { readToEnd } from '../log/read-to-end.js';
import { systemIds, systemTimer, type Clock, type Ids, type Timer } from '../ports.js';

/** A record that nobody could read, at its place among the dead letters. */
export type LetterRead = DeadLetterNote & {
  readonly place: LetterPlace;
  readonly key: string | null;
  readonly value: Uint8Array | null;
  /** How often it was sent again, and by whom last. */
  readonly sentAgain: number;
  readonly sentAgainBy: string | null;
};
export type LetterPlace = { readonly partition: number; readonly offset: number };

export type LetterPorts = {
  readonly log: Log;
  readonly topics: TopicNames;
  readonly clock: Clock;
  readonly ids?: Ids;
  /** Where what its coordinator says to the copy is of interest. */
  readonly client?: Pick<Client, 'askAgain'>;
  readonly timer?: Timer;
};

/** All dead letters of one partition that are still kept, oldest first. Rejects with `LogUnavailable`. */
export const readDeadLetters = async (
  { log, topics }: Pick<LetterPorts, 'log' | 'topics'>,
  partition: number,
): Promise<readonly LetterRead[]> => {
  const letters = new Map<number, LetterRead>();
  await readToEnd(log, { topic: topics.deadLetters, partition }, ({ offset, key, value, headers }) => {
    const note = readResent(headers);
    const origin = readDeadLetter(headers);
    const known = note === null ? undefined : letters.get(note.letter);
    if (note !== null && known !== undefined)
      letters.set(note.letter, { ...known, sentAgain: known.sentAgain + 1, sentAgainBy: note.by });
    if (note !== null || origin === null) return;
    letters.set(offset, { ...origin, place: { partition, offset }, key, value, sentAgain: 0, sentAgainBy: null });
  });
  return [...letters.values()];
};

export type SendAgain =
  | {
      readonly outcome: 'sent';
      readonly topic: string;
      readonly partition: number;
      readonly offset: number;
      /** Null where nobody has said anything in time, or nobody was to be heard. */
      readonly answer: Answer | null;
    }
  | {
      readonly outcome: 'refused';
      readonly code: 'unknown_letter' | 'not_a_request' | 'no_value' | 'not_taken';
      readonly message: string;
    };

/**
 * Puts a dead letter into its topic again, as it was. Only requests: a request that was done already is known by its id,
 * and nothing else is meant to come from outside. A note of who has asked for it is written before, so that none is
 * ever sent without one. Rejects with `LogUnavailable` when nobody answers.
 */
export const sendAgain = async (
  ports: LetterPorts,
  place: LetterPlace,
  by: string,
  answerWithinMs = 0,
): Promise<SendAgain> => {
  const { log, topics, clock, client, ids = systemIds } = ports;
  const letter = await readLetter(log, topics, place);
  if (letter === null) return refused('unknown_letter', `there is no dead letter ${place.partition}/${place.offset}`);
  const { topic, partition, key, value } = letter;
  if (topic !== topics.requests) return refused('not_a_request', `it was in ${topic}: only requests are sent again`);
  if (value === null) return refused('no_value', 'it was too large to be kept: there is nothing to send');
  const note = resentLetter({ letter: place.offset, by, requestId: ids.next(), at: clock.now() });
  await append(ports, { topic: topics.deadLetters, partition: place.partition }, note);
  if (client !== undefined) {
    const again = await client.askAgain({ lane: partition, key, value }, { answerWithinMs });
    return { outcome: 'sent', topic, partition, ...again };
  }
  const appended = await append(ports, { topic, partition }, { key, value });
  return typeof appended === 'string'
    ? refused('not_taken', `${topic} does not take it: ${appended}`)
    : { outcome: 'sent', topic, partition, offset: appended, answer: null };
};

const refused = (code: Extract<SendAgain, { outcome: 'refused' }>['code'], message: string): SendAgain => ({
  outcome: 'refused',
  code,
  message,
});

type Letter = DeadLetterNote & { readonly key: string | null; readonly value: Uint8Array | null };

const readLetter = async (log: Log, topics: TopicNames, { partition, offset }: LetterPlace): Promise<Letter | null> => {
  const { start, end } = await patiently(() => log.bounds(topics.deadLetters, partition));
  if (offset < start || offset >= end) return null;
  const fetched = await patiently(() => log.read(topics.deadLetters, partition, offset, { waitMs: 1_000 }));
  const record = fetched.outcome === 'fetched' ? fetched.records.find((one) => one.offset === offset) : undefined;
  const origin = record === undefined ? null : readDeadLetter(record.headers);
  return record === undefined || origin === null ? null : { ...origin, key: record.key, value: record.value };
};

const PAUSES_MS = [100, 400, 1_600];

/** The offset, or why it is not taken. What comes twice harms nothing: requests and notes are known by what they say. */
const append = async (
  { log, timer = systemTimer }: LetterPorts,
  { topic, partition }: { readonly topic: string; readonly partition: number },
  entry: Entry,
): Promise<number | string> => {
  for (let tries = 0; ; tries += 1) {
    const appended = await log.append(topic, partition, [entry]);
    if (appended.outcome === 'appended') return appended.offset;
    if (appended.outcome === 'refused') return appended.detail;
    const pauseMs = PAUSES_MS[tries];
    if (pauseMs === undefined)
      throw new LogUnavailable(`${topic} did not answer ${tries + 1} appends: ${appended.detail}`);
    await new Promise<void>((resolve) => timer.after(pauseMs, resolve));
  }
};
