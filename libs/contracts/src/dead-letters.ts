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
