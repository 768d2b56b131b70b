import type { Entry } from './log.port.js';

/** Bytes of a record batch before its first record (magic 2: offsets, lengths, checksum, times, producer fields). */
const BATCH_HEAD_BYTES = 61;
/** Length, attributes, time and offset deltas, counts of a record at their largest common size. */
const RECORD_HEAD_BYTES = 16;
const FIELD_HEAD_BYTES = 3;

/** Upper estimate of the size in bytes that `records` take as one uncompressed batch, as `max.message.bytes` counts it. */
export function batchBytes(records: readonly Entry[]): number {
  let sum = BATCH_HEAD_BYTES;
  for (const record of records) {
    sum += RECORD_HEAD_BYTES + (record.value?.byteLength ?? 0);
    if (record.key !== null) sum += Buffer.byteLength(record.key);
    for (const [name, value] of Object.entries(record.headers ?? {})) {
      sum += 2 * FIELD_HEAD_BYTES + Buffer.byteLength(name) + Buffer.byteLength(value);
    }
  }
  return sum;
}

/** Why a batch can never be appended, or `null`: it must hold a record, and headers are strings. */
export function invalidReason(records: readonly Entry[]): string | null {
  if (records.length === 0) return 'a batch needs at least one record';
  for (const { headers } of records) {
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (typeof value !== 'string') return `header "${name}" is not a string`;
    }
  }
  return null;
}
