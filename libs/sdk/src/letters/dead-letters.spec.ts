import { deadLetter, lanePlan, topicNames } from '@holdfast/contracts';
import { createMemoryLog, createMemoryTopics, LogUnavailable, MemoryCluster } from '@holdfast/log';
import { systemClock, systemTimer } from '../ports.js';
import { readDeadLetters, sendAgain } from './dead-letters.js';

const topics = topicNames('holdfast');
const bytes = (text: string): Uint8Array => Buffer.from(text);
const reason = { code: 'not_json', detail: 'it is no JSON', by: 'C1', at: Date.UTC(2026, 0, 2) };

const setUp = async () => {
  const cluster = new MemoryCluster();
  await createMemoryTopics(cluster).ensure(lanePlan(topics, 2));
  const log = createMemoryLog(cluster, { pollMs: 5 });
  const from = (topic: string, value: Uint8Array | null) =>
    deadLetter({ key: 'k', value, offset: 7 }, { topic, partition: 1 }, reason);
  cluster
    .partition(topics.deadLetters, 0)
    .append([from(topics.requests, bytes('{"a":')), from(topics.journal, bytes('x')), from(topics.requests, null)]);
  return { cluster, log, ports: { log, topics, clock: systemClock } };
};
type World = Awaited<ReturnType<typeof setUp>>;
const sent = ({ cluster }: World) => {
  const partition = cluster.partition(topics.requests, 1);
  return partition.slice(0, partition.bounds().end, 1e6);
};

describe('dead letters', () => {
  it('are read with where they come from and why', async () => {
    const { ports } = await setUp();
    const [first, , last] = await readDeadLetters(ports, 0);
    expect(first).toMatchObject({
      topic: topics.requests,
      partition: 1,
      offset: 7,
      code: 'not_json',
      by: 'C1',
      key: 'k',
    });
    expect(first).toMatchObject({ place: { partition: 0, offset: 0 }, at: reason.at, sentAgain: 0, sentAgainBy: null });
    expect(last).toMatchObject({ value: null });
    expect(await readDeadLetters(ports, 1)).toEqual([]);
  });

  it('that were requests are sent again as they were, and everybody sees how often and by whom', async () => {
    const world = await setUp();
    const place = { partition: 0, offset: 0 };
    expect(await sendAgain(world.ports, place, 'ann')).toMatchObject({ outcome: 'sent', partition: 1, offset: 0 });
    await sendAgain(world.ports, place, 'bob');
    expect(sent(world).map(({ key, value }) => [key, Buffer.from(value ?? '').toString()])).toEqual([
      ['k', '{"a":'],
      ['k', '{"a":'],
    ]);
    const letters = await readDeadLetters(world.ports, 0);
    expect(letters.map(({ sentAgain: times, sentAgainBy }) => [times, sentAgainBy])).toEqual([
      [2, 'bob'],
      [0, null],
      [0, null],
    ]);
  });

  it.each([
    [{ partition: 0, offset: 99 }, 'unknown_letter'],
    [{ partition: 0, offset: 1 }, 'not_a_request'],
    [{ partition: 0, offset: 2 }, 'no_value'],
  ])('%j are not sent again: %s', async (place, code) => {
    const world = await setUp();
    expect(await sendAgain(world.ports, place, 'ann')).toMatchObject({ outcome: 'refused', code });
    expect(sent(world)).toEqual([]);
  });

  it('are noted before they are sent, so that none is sent without a note', async () => {
    const world = await setUp();
    const timer = { ...systemTimer, after: (_: number, then: () => void) => systemTimer.after(1, then) };
    world.log.faults.nextAppend('lost', ({ topic }) => topic === topics.requests);
    expect(await sendAgain({ ...world.ports, timer }, { partition: 0, offset: 0 }, 'ann')).toMatchObject({
      outcome: 'sent',
    });
    expect(sent(world)).toHaveLength(1);
    for (let times = 0; times < 9; times += 1)
      world.log.faults.nextAppend('lost', ({ topic }) => topic === topics.deadLetters);
    await expect(sendAgain({ ...world.ports, timer }, { partition: 0, offset: 0 }, 'ann')).rejects.toThrow(
      LogUnavailable,
    );
    expect(sent(world)).toHaveLength(1);
  });
});
