import type { Defect } from '@holdfast/events';
import { createMemoryLog, MemoryCluster, type Entry } from '@holdfast/log';
import { sha256 } from '../digest.js';
import { followLane, followLanes } from './follow-lanes.js';
import { LaneAuthor, runAccepted, runEnded } from './history.fixture.js';
import { readLane } from './read-lane.js';

const topic = 'holdfast.run-events';
const setUp = () => {
  const cluster = new MemoryCluster();
  cluster.create({ name: topic, partitions: 3 });
  const log = createMemoryLog(cluster, { pollMs: 5 });
  const add = (lane: number, entries: readonly Entry[]) => void cluster.partition(topic, lane).append(entries);
  return { cluster, log, add };
};

describe('following lanes', () => {
  it('tells of what is there and of what comes, lane by lane', async () => {
    const { log, add } = setUp();
    const author = new LaneAuthor(1);
    add(1, author.acquire('a'));
    const told: string[] = [];
    let reached = (): void => undefined;
    const done = new Promise<void>((resolve) => (reached = resolve));
    const follower = followLanes({
      log,
      topic,
      digest: sha256,
      onRecord: ({ record }, lane) => {
        told.push(`${lane} ${record.event.type}`);
        if (record.event.type === 'RunEnded') reached();
      },
      onDefect: (defect) => told.push(defect.message),
      onEnd: (lane) => {
        if (lane !== 1 || told.length !== 1) return;
        expect(follower.isCaughtUp(1)).toBe(true);
        add(1, author.decide('r', runAccepted('r'), runEnded()));
      },
    });
    follower.follow(1);
    follower.follow(2);
    await done;
    expect(told.slice(0, 3)).toStrictEqual(['1 LaneAcquired', '1 RunAccepted', '1 RunEnded']);
    expect(follower.state(1)?.epoch).toBe(1);
    expect(follower.state(0)).toBeUndefined();
    await follower.close();
    await log.close();
  });

  it('stops a lane whose history is not sound and goes on with the others', async () => {
    const { log, add } = setUp();
    add(0, [{ key: null, value: Buffer.from('nonsense') }]);
    const ended: number[] = [];
    const defect = await new Promise<Defect>((resolve) => {
      const follower = followLanes({
        log,
        topic,
        digest: sha256,
        onRecord: () => undefined,
        onDefect: (found, lane) => {
          expect(follower.state(lane)).toBeUndefined();
          ended.push(lane);
          resolve(found);
        },
      });
      follower.follow(0);
      follower.follow(1);
    });
    expect(defect.message).toContain('history of lane 0 (holdfast.run-events) at offset 0');
    expect(ended).toStrictEqual([0]);
    await log.close();
  });

  it('says so when the first records are no longer kept', async () => {
    const { cluster, log, add } = setUp();
    add(0, new LaneAuthor(0).acquire('a'));
    cluster.partition(topic, 0).forget(1);
    const defect = await new Promise<Defect>((resolve) => {
      followLane({ log, topic, lane: 0, digest: sha256, onRecord: () => undefined, onDefect: resolve });
    });
    expect(defect.message).toContain('offset 0 is not kept, kept are 1 to 1');
    await expect(readLane({ log, topic, lane: 0, digest: sha256 })).rejects.toThrow('offset 0 of');
    await log.close();
  });

  it('reads a lane to its end although nobody listens', async () => {
    const { log, add } = setUp();
    add(0, new LaneAuthor(0).acquire('a'));
    const { next, state } = await readLane({ log, topic, lane: 0, digest: sha256 });
    expect([next, state.epoch]).toEqual([1, 1]);
    await log.close();
  });

  it('turns a failing callback into a defect instead of ending the process', async () => {
    const { log, add } = setUp();
    add(0, new LaneAuthor(0).acquire('a'));
    const defect = await new Promise<Defect>((resolve) => {
      const onRecord = (): void => {
        throw new Error('bug');
      };
      followLane({ log, topic, lane: 0, digest: sha256, onRecord, onDefect: resolve });
    });
    expect(defect.message).toBe('reading history failed: bug');
    await log.close();
  });
});
