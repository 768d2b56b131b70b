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
    'dead-letter-reason': reason.detail.slice(0, 4_000),
    'dead-letter-by': reason.by,
    'dead-letter-at': new Date(reason.at).toISOString(),
  },
});

/** Where a dead letter comes from and why it is one; null where the headers do not say so. */
export type LetterOrigin = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly code: string;
  readonly reason: string;
  readonly by: string;
  readonly at: number;
};

export const letterOrigin = (headers: Headers): LetterOrigin | null => {
  const of = (name: string): string => headers[`dead-letter-${name}`] ?? '';
  const at = Date.parse(of('at'));
  const [partition, offset] = [of('partition'), of('offset')];
  if (of('topic') === '' || !/^\d+$/.test(partition) || !/^\d+$/.test(offset)) return null;
  return {
    topic: of('topic'),
    partition: Number(partition),
    offset: Number(offset),
    code: of('code'),
    reason: of('reason'),
    by: of('by'),
    at: Number.isNaN(at) ? 0 : at,
  };
};

/** A dead letter that somebody has had put into its topic again; `offset` is its place among the dead letters. */
export type SentAgainNote = {
  readonly partition: number;
  readonly offset: number;
  readonly by: string;
  readonly at: number;
};

const AGAIN = 'dead-letter-again';

/** Headers of the copy, and of the note of it that stands beside the letter, in its partition, before it is sent. */
export const sentAgainHeaders = ({ partition, offset, by, at }: SentAgainNote): Headers => ({
  [AGAIN]: `${partition}/${offset}`,
  'dead-letter-by': by.slice(0, 500),
  'dead-letter-at': new Date(at).toISOString(),
});

/** The note of a letter that was sent again, where a record among the dead letters is one. */
export const sentAgainNote = (headers: Headers): SentAgainNote | null => {
  const [, partition, offset] = /^(\d+)\/(\d+)$/.exec(headers[AGAIN] ?? '') ?? [];
  if (partition === undefined || offset === undefined) return null;
  const at = Date.parse(headers['dead-letter-at'] ?? '');
  const by = headers['dead-letter-by'] ?? '';
  return { partition: Number(partition), offset: Number(offset), by, at: Number.isNaN(at) ? 0 : at };
};
