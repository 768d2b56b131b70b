import type { Log, LogRecord } from '@holdfast/log';
import { readToEnd } from '@holdfast/sdk';

/** Everything that a partition holds now. */
export const recordsOf = async (log: Log, topic: string, partition: number): Promise<readonly LogRecord[]> => {
  const records: LogRecord[] = [];
  await readToEnd(log, { topic, partition }, (record) => void records.push(record));
  return records;
};

/** Appends one record and answers its offset. */
export const put = async (
  log: Log,
  place: { readonly topic: string; readonly partition: number },
  record: {
    readonly key?: string | null;
    readonly value: Uint8Array | string | null;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<number> => {
  const value = typeof record.value === 'string' ? Buffer.from(record.value) : record.value;
  const entry = {
    key: record.key ?? null,
    value,
    ...(record.headers === undefined ? {} : { headers: record.headers }),
  };
  const appended = await log.append(place.topic, place.partition, [entry]);
  if (appended.outcome !== 'appended') throw new Error(`${place.topic}: ${appended.outcome}, ${appended.detail}`);
  return appended.offset;
};
