import { shorten } from '@holdfast/events';
import type { Headers } from './codec/message.js';

/** A record that could not be read: its own bytes and key, the reason in headers. Told apart by topic, partition, offset. */
export type DeadLetter = {
  readonly key: string | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
};

export const deadLetter = (
  record: { readonly key: string | null; readonly value: Uint8Array | null; readonly offset: number },
  from: { readonly topic: string; readonly partition: number },
  reason: { readonly code: string; readonly detail: string; readonly by: string; readonly at: number },
): DeadLetter => ({
  key: record.key,
  value: record.value,
  headers: {
    'dead-letter-topic': from.topic,
    'dead-letter-partition': String(from.partition),
    'dead-letter-offset': String(record.offset),
    'dead-letter-code': reason.code,
    'dead-letter-reason': shorten(reason.detail, 4_000),
    'dead-letter-by': reason.by,
    'dead-letter-at': new Date(reason.at).toISOString(),
  },
});

/** What a letter says about itself. */
export type DeadLetterNote = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly code: string;
  readonly reason: string;
  readonly by: string;
  readonly at: number;
};

/** Reads the headers of a letter; null where they are not those of one. */
export const readDeadLetter = (headers: Headers): DeadLetterNote | null => {
  const topic = headers['dead-letter-topic'];
  const [partition, offset] = [headers['dead-letter-partition'], headers['dead-letter-offset']].map(Number);
  if (topic === undefined || !isPlace(partition) || !isPlace(offset)) return null;
  const code = headers['dead-letter-code'] ?? 'unknown';
  const reason = headers['dead-letter-reason'] ?? '';
  const by = headers['dead-letter-by'] ?? '';
  return { topic, partition, offset, code, reason, by, at: Date.parse(headers['dead-letter-at'] ?? '') || 0 };
};

const isPlace = (number: number | undefined): number is number => Number.isSafeInteger(number) && Number(number) >= 0;

/** A letter was sent again: said in the partition that the letter is in, so that everybody can count. */
export type Resent = {
  /** The offset of the letter. */
  readonly letter: number;
  readonly by: string;
  readonly requestId: string;
  readonly at: number;
};

export const resentLetter = ({ letter, by, requestId, at }: Resent): DeadLetter => ({
  key: null,
  value: null,
  headers: {
    'dead-letter-resent': String(letter),
    'dead-letter-by': by,
    'dead-letter-request': requestId,
    'dead-letter-at': new Date(at).toISOString(),
  },
});

/** Reads a note that a letter was sent again; null where it is none. */
export const readResent = (headers: Headers): Resent | null => {
  const letter = Number(headers['dead-letter-resent'] ?? Number.NaN);
  if (!isPlace(letter)) return null;
  const at = Date.parse(headers['dead-letter-at'] ?? '') || 0;
  return { letter, by: headers['dead-letter-by'] ?? '', requestId: headers['dead-letter-request'] ?? '', at };
};
