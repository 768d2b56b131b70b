import type { LogRecord, MemoryCluster } from '@holdfast/log';

/** 0 to `n - 1`. */
export const count = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index);

/** Calls back for every record of a partition, at the moment it is appended. */
export const follow = (cluster: MemoryCluster, topic: string, at: number, take: (record: LogRecord) => void): void => {
  const partition = cluster.partition(topic, at);
  let next = partition.bounds().end;
  partition.listen(() => {
    const { end } = partition.bounds();
    const fresh = partition.slice(Math.min(next, end), end, Infinity);
    next = end;
    for (const record of fresh) take(record);
  });
};

/** All records of a partition that are there now. */
export const recordsOf = (cluster: MemoryCluster, topic: string, at: number): readonly LogRecord[] => {
  const partition = cluster.partition(topic, at);
  const { start, end } = partition.bounds();
  return partition.slice(start, end, Infinity);
};
