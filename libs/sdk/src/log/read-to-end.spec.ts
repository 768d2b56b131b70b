import { createMemoryLog, LogUnavailable, MemoryCluster, type Log } from '@holdfast/log';
import type { Timer } from '../ports.js';
import { readToEnd } from './read-to-end.js';

const place = { topic: 't', partition: 0 };
const setUp = () => {
  const cluster = new MemoryCluster();
  cluster.create({ name: 't', partitions: 1 });
  const partition = cluster.partition('t', 0);
  for (const key of ['a', 'b', 'a']) partition.append([{ key, value: null }]);
  return { partition, log: createMemoryLog(cluster) };
};
/** Time that passes as soon as someone waits for it. */
const hastyTimer = (waited: number[]): Timer => ({
  after: (ms, work) => {
    waited.push(ms);
    queueMicrotask(work);
    return () => undefined;
  },
  every: () => () => undefined,
});
const away = (times: number, log: Log): Log => ({
  append: (...args) => log.append(...args),
  read: (...args) => log.read(...args),
  bounds: (...args) => (times-- > 0 ? Promise.reject(new LogUnavailable('no leader yet')) : log.bounds(...args)),
  tail: (handler) => log.tail(handler),
  close: () => log.close(),
});

describe('reading a partition to its end', () => {
  it('takes what was there when it began, in order', async () => {
    const { log, partition } = setUp();
    const taken: number[] = [];
    const next = await readToEnd(log, place, ({ offset }) => {
      taken.push(offset);
      partition.append([{ key: 'later', value: null }]);
    });
    expect(taken).toStrictEqual([0, 1, 2]);
    expect(next).toBe(3);
  });

  it.each([false, true])('leaves what is written meanwhile to the next reading (sparse: %s)', async (sparse) => {
    const { log, partition } = setUp();
    // Another record lands between the question for the end and the reading.
    const busy: Log = {
      ...away(0, log),
      bounds: async (topic, number) => {
        const bounds = await log.bounds(topic, number);
        partition.append([{ key: 'late', value: null }]);
        return bounds;
      },
    };
    const taken: number[] = [];
    const take = ({ offset }: { readonly offset: number }) => void taken.push(offset);
    const next = await readToEnd(busy, place, take, { sparse });
    expect({ taken: [...taken], next }).toEqual({ taken: [0, 1, 2], next: 3 });
    await readToEnd(log, place, take, { sparse, from: next });
    expect(taken).toEqual([0, 1, 2, 3]);
  });

  it('passes over the holes of a compacted topic only when it is told to', async () => {
    const { log, partition } = setUp();
    partition.compact();
    const taken: number[] = [];
    await readToEnd(log, place, ({ offset }) => taken.push(offset), { sparse: true });
    expect(taken).toStrictEqual([1, 2]);
    await expect(readToEnd(log, place, () => undefined)).rejects.toThrow();
  });

  it('says so when what it was to begin with is no longer kept', async () => {
    const { log, partition } = setUp();
    partition.forget(2);
    await expect(readToEnd(log, place, () => undefined, { from: 0 })).rejects.toThrow('offset 0 of t/0 is not kept');
    expect(await readToEnd(log, place, () => undefined)).toBe(3);
  });

  it('is patient with a log that does not answer yet, but not for ever', async () => {
    const { log } = setUp();
    const waited: number[] = [];
    const patience = { timer: hastyTimer(waited), patienceMs: 300 };
    expect(await readToEnd(away(2, log), place, () => undefined, patience)).toBe(3);
    expect(waited).toStrictEqual([50, 100]);
    await expect(readToEnd(away(9, log), place, () => undefined, patience)).rejects.toThrow('no leader yet');
    expect(waited.slice(2)).toStrictEqual([50, 100, 150]);
  });
});
