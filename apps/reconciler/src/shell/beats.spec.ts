import { topicNames } from '@holdfast/contracts';
import { createMemoryLog, MemoryCluster } from '@holdfast/log';
import { WatchedClock, watchSkew } from '@holdfast/service';
import { Beats } from './beats.js';

const TOPIC = topicNames('t').heartbeats;
const SKEW_MS = 1_000;
const HOUR_MS = 3_600_000;
const allTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A reconciler that never has anything to judge, on a machine whose clock is `offMs` ahead of the broker's. */
const world = (offMs: number) => {
  const time = { mono: 0, offMs };
  const now = (): number => 1_000_000 + time.mono;
  const cluster = new MemoryCluster({ now });
  cluster.create({ name: TOPIC, partitions: 1 });
  const clock = new WatchedClock({ now: () => now() + time.offMs, monotonic: () => time.mono }, SKEW_MS);
  const ends: string[] = [];
  const inMemory = createMemoryLog(cluster);
  const log = watchSkew(inMemory, clock, ({ message }) => ends.push(message));
  const beats = new Beats({ log, topic: TOPIC, clock, reconciler: 'me' });
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 100) {
      beats.tick([3]);
      await allTurns();
      time.mono += 100;
    }
  };
  return { time, pass, clock, ends, inMemory, count: () => cluster.partition(TOPIC, 0).bounds().end };
};

describe('a reconciler without anything to judge', () => {
  it('has its clock borne out at once and keeps it so, with few records', async () => {
    const { pass, clock, count } = world(0);
    await pass(100);
    expect([clock.isBorneOut, count()]).toEqual([true, 1]);
    await pass(39_000);
    expect([clock.isBorneOut, count()]).toEqual([true, 2]);
  });

  it('tries again when nobody answers', async () => {
    const { pass, clock, inMemory } = world(0);
    inMemory.faults.nextAppend('lost');
    await pass(400);
    expect(clock.isBorneOut).toBe(false);
    await pass(200);
    expect(clock.isBorneOut).toBe(true);
  });

  it.each([HOUR_MS, -HOUR_MS])(
    'that starts with a clock off by %i ms ends before it judges anything',
    async (offMs) => {
      const { pass, clock, ends } = world(offMs);
      await pass(1_100);
      expect(clock.isBorneOut).toBe(false);
      expect(ends[0]).toContain(`${offMs} ms away`);
    },
  );

  it('ends when its clock is set forward, and judges nothing by it meanwhile', async () => {
    const { time, pass, clock, ends } = world(0);
    await pass(100);
    time.offMs = HOUR_MS;
    expect(clock.isBorneOut).toBe(false);
    await pass(1_600);
    expect(ends).toHaveLength(1);
  });
});
