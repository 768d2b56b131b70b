import { LogDefect } from '../log.port.js';
import type { Headers, LogRecord } from '../log.port.js';
import type { Broker, FetchedMessage, FetchedPartition } from './internals.js';

export type Position = { readonly topic: string; readonly partition: number; readonly next: number };

export type PartitionAnswer = {
  readonly topic: string;
  readonly partition: number;
  readonly answer: FetchedPartition;
};

export type FetchLimits = { readonly waitMs: number; readonly bytesMax: number; readonly partitionBytesMax: number };

/** One fetch of many partitions from their leader. One bad partition fails it as a whole (kafkajs throws its error). */
export async function fetchFrom(
  broker: Broker,
  positions: readonly Position[],
  { waitMs, bytesMax, partitionBytesMax }: FetchLimits,
): Promise<readonly PartitionAnswer[]> {
  const topics = new Map<string, { partition: number; fetchOffset: string; maxBytes: number }[]>();
  for (const { topic, partition, next } of positions) {
    const entry = { partition, fetchOffset: String(next), maxBytes: partitionBytesMax };
    const partitions = topics.get(topic);
    if (partitions === undefined) topics.set(topic, [entry]);
    else partitions.push(entry);
  }
  const { responses } = await broker.fetch({
    maxWaitTime: waitMs,
    minBytes: 1,
    maxBytes: bytesMax,
    isolationLevel: 1,
    rackId: '',
    topics: [...topics].map(([topic, partitions]) => ({ topic, partitions })),
  });
  return responses.flatMap(({ topicName: topic, partitions }) =>
    partitions.map((answer) => ({ topic, partition: answer.partition, answer })),
  );
}

/**
 * The records from `next` on. A fetch in the middle of a batch returns the whole batch, so earlier ones are dropped.
 * Throws `LogDefect` on a hole, unless `sparse`.
 */
export function recordsFrom(
  { messages, abortedTransactions }: FetchedPartition,
  next: number,
  sparse: boolean,
): { readonly records: readonly LogRecord[]; readonly next: number } {
  const records: LogRecord[] = [];
  const isBlank = blanks(abortedTransactions);
  let expected = next;
  for (const message of messages) {
    const blank = isBlank(message);
    const offset = Number(message.offset);
    if (offset < expected) continue;
    if (offset !== expected && !sparse) throw new LogDefect(`expected offset ${expected}, got ${offset}`);
    if (!blank || !sparse) records.push(blank ? blankRecord(message) : record(message));
    expected = offset + 1;
  }
  return { records, next: expected };
}

/**
 * Transactions are not used here, but anyone may write to a public topic. Their markers and aborted records take
 * offsets, so they are kept as records without key and value instead of leaving a hole.
 */
function blanks(aborted: FetchedPartition['abortedTransactions']): (message: FetchedMessage) => boolean {
  const pending = [...(aborted ?? [])].sort((a, b) => Number(a.firstOffset) - Number(b.firstOffset));
  const open = new Set<string>();
  return ({ offset, isControlRecord, batchContext }) => {
    while (pending[0] !== undefined && Number(pending[0].firstOffset) <= Number(offset)) {
      open.add(pending[0].producerId);
      pending.shift();
    }
    if (batchContext === undefined) return isControlRecord;
    if (isControlRecord) open.delete(batchContext.producerId);
    return isControlRecord || (batchContext.inTransaction && open.has(batchContext.producerId));
  };
}

const blankRecord = ({ offset, timestamp }: FetchedMessage): LogRecord => ({
  offset: Number(offset),
  at: Number(timestamp),
  key: null,
  value: null,
  headers: {},
});

const record = ({ offset, timestamp, key, value, headers }: FetchedMessage): LogRecord => ({
  offset: Number(offset),
  at: Number(timestamp),
  key: key === null ? null : key.toString(),
  value,
  headers: text(headers),
});

/** Header values as text; of a repeated header the first counts. */
function text(headers: FetchedMessage['headers']): Headers {
  const texts: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    const first = Array.isArray(value) ? (value[0] as Buffer | string | undefined) : value;
    if (first !== undefined && first !== null) texts[name] = first.toString();
  }
  return texts;
}
