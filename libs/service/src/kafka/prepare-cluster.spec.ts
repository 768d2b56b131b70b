import { topicNames } from '@holdfast/contracts';
import { createMemoryLog, createMemoryTopics, MemoryCluster, TopicMismatch, type Log } from '@holdfast/log';
import { readLanes, systemClock, systemIds, type Timer } from '@holdfast/sdk';
import { LanesMismatch, prepareCluster, type ClusterWish } from './prepare-cluster.js';

const names = topicNames('holdfast');
const wish = { namespace: 'holdfast', lanes: 4, queues: { default: 2 } };
/** Time that passes as soon as someone waits for it. */
const timer: Timer = {
  after: (_, work) => {
    queueMicrotask(work);
    return () => undefined;
  },
  every: () => () => undefined,
};
const setUp = () => {
  const cluster = new MemoryCluster();
  const log = createMemoryLog(cluster);
  const topics = createMemoryTopics(cluster);
  const prepare = (changes: Partial<ClusterWish> = {}, through: Log = log) =>
    prepareCluster({ log: through, topics, names, clock: systemClock, ids: systemIds, timer }, { ...wish, ...changes });
  return { cluster, log, prepare };
};

describe('preparing the cluster', () => {
  it('creates the topics and fixes the number of lanes once', async () => {
    const { cluster, log, prepare } = setUp();
    await prepare();
    await prepare();
    expect(cluster.spec(names.history)).toMatchObject({ partitions: 4, cleanup: 'delete', retentionMs: -1 });
    expect(cluster.spec(names.claims('default'))?.partitions).toBe(2);
    expect(cluster.spec(names.tools)?.cleanup).toBe('compact');
    expect(await readLanes(log, names)).toBe(4);
    expect(cluster.partition(names.cluster, 0).bounds().end).toBe(1);
  });

  it('stops at another number of lanes before any topic has it', async () => {
    const { cluster, prepare } = setUp();
    await prepare();
    const other = prepare({ lanes: 5, queues: { slow: 1 } });
    await expect(other).rejects.toThrow(LanesMismatch);
    await expect(other).rejects.toThrow('has 4 lanes for life, but HOLDFAST_LANES is 5: set HOLDFAST_LANES=4, or use');
    expect(cluster.spec(names.claims('slow'))).toBeNull();
  });

  it('lets one of two first services win, also after compaction', async () => {
    const { cluster, log, prepare } = setUp();
    // Both read that nothing is fixed; the other one writes first.
    const late: Log = {
      ...plain(log),
      append: async (topic, partition, records) => {
        if (cluster.partition(names.cluster, 0).bounds().end === 0) await prepare({ lanes: 6 });
        return log.append(topic, partition, records);
      },
    };
    await expect(prepare({}, late)).rejects.toThrow('has 6 lanes for life');
    cluster.partition(names.cluster, 0).compact();
    expect(await readLanes(log, names)).toBe(6);
  });

  it('writes again when it hears nothing, and says so when it never does', async () => {
    const { log, prepare } = setUp();
    log.faults.nextAppend('lost');
    await prepare();
    expect(await readLanes(log, names)).toBe(4);
    const other = setUp();
    for (let tries = 0; tries < 6; tries += 1) other.log.faults.nextAppend('lost');
    await expect(other.prepare()).rejects.toThrow('holdfast.cluster did not answer 6 appends');
  });

  it('stops at a queue of another size', async () => {
    const { prepare } = setUp();
    await prepare();
    await expect(prepare({ queues: { default: 3 } })).rejects.toThrow(TopicMismatch);
  });
});

const plain = (log: Log): Log => ({
  append: (...args) => log.append(...args),
  read: (...args) => log.read(...args),
  bounds: (...args) => log.bounds(...args),
  tail: (handler) => log.tail(handler),
  close: () => log.close(),
});
