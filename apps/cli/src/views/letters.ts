import type { DeadLetterView } from '@holdfast/api';
import type { LetterPlace, LetterRead } from '@holdfast/sdk';
import { EXIT, Problem } from '../problem.js';

export const letterId = ({ partition, offset }: LetterPlace): string => `${partition}/${offset}`;

/** A dead letter for people and machines; `value` only where one is looked at. */
export const letterView = (letter: LetterRead, whole: boolean): DeadLetterView => {
  const { place, value, topic, partition, offset, key, code, reason, by, at, sentAgain, sentAgainBy } = letter;
  return {
    id: letterId(place),
    topic,
    partition,
    offset,
    key,
    code,
    reason,
    by,
    at,
    sentAgain,
    sentAgainBy,
    bytes: value?.byteLength ?? 0,
    ...(whole && value !== null ? { value: textOf(value) } : {}),
  };
};

const textOf = (value: Uint8Array): NonNullable<DeadLetterView['value']> => {
  try {
    return { encoding: 'utf8', text: new TextDecoder('utf-8', { fatal: true }).decode(value) };
  } catch {
    return { encoding: 'base64', text: Buffer.from(value).toString('base64') };
  }
};

export const letterNotFound = (place: LetterPlace): Problem =>
  new Problem(
    EXIT.notFound,
    `there is no dead letter ${letterId(place)}`,
    'See which there are: holdfast dead-letters',
  );
