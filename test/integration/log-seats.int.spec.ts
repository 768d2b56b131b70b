import { jest } from '@jest/globals';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createKafkaSeats, createKafkaTopics, TopicMismatch, waitForCluster } from '@holdfast/log';
import type { KafkaLogger, KafkaOptions, SeatMembership, SeatPool, TopicSpec } from '@holdfast/log';
import { startKafka } from '@holdfast/dev';
import type { KafkaCluster } from '@holdfast/dev';

const ignore = (): void => undefined;
const logger: KafkaLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

let kafka: KafkaCluster;
let options: KafkaOptions;
let count = 0;

jest.setTimeout(90_000);

beforeAll(async () => {
  kafka = await startKafka();
  options = { brokers: kafka.brokers, clientId: 'seats-spec', logger };
}, 120_000);

afterAll(() => kafka.stop(), 30_000);

const spec = (name: string, partitions: number): TopicSpec => ({
  name,
  partitions,
  cleanup: 'delete',
  retentionMs: 3_600_000,
});

/** A member that keeps what it was told, with a way to wait for a condition on it. */
class Listener {
  readonly told: (readonly number[])[] = [];
  private readonly waits = new Set<() => void>();

  readonly changed = (held: ReadonlySet<number>): void => {
    this.told.push([...held]);
    for (const wait of this.waits) wait();
  };

  get last(): readonly number[] {
    return this.told.at(-1) ?? [];
  }

  until(condition: (last: readonly number[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (condition(this.last)) resolve();
      };
      this.waits.add(check);
      check();
    });
  }
}

describe('on Kafka: seats', () => {
  let pool: SeatPool;
  let memberships: SeatMembership[];

  const join = async (): Promise<{ member: SeatMembership; heard: Listener }> => {
    const heard = new Listener();
    const member = await createKafkaSeats(options).join(pool, heard.changed);
    memberships.push(member);
    return { member, heard };
  };

  beforeEach(async () => {
    memberships = [];
    pool = { topic: `seats-${count}`, group: `group-${count++}` };
    await createKafkaTopics(options).ensure([spec(pool.topic, 6)]);
  });

  afterEach(() => Promise.all(memberships.map((member) => member.leave())));

  it('are shared by two members, half each; the rest stays with its holder; all come back when one leaves', async () => {
    const first = await join();
    await first.heard.until((held) => held.length === 6);
    const second = await join();
    await second.heard.until((held) => held.length === 3);
    await first.heard.until((held) => held.length === 3);
    expect(first.heard.last).toEqual([0, 1, 2]);
    expect(second.heard.last).toEqual([3, 4, 5]);
    expect([first.member.holds(0), first.member.holds(3), second.member.holds(3)]).toEqual([true, false, true]);
    await second.member.leave();
    expect(second.member.held().size).toBe(0);
    expect(second.heard.last).toEqual([]);
    await first.heard.until((held) => held.length === 6);
  });

  it('are no longer held when the broker is silent for the session time, and come back by themselves', async () => {
    const { member, heard } = await join();
    await heard.until((held) => held.length === 6);
    kafka.freeze();
    try {
      await heard.until((held) => held.length === 0);
      expect(member.holds(0)).toBe(false);
    } finally {
      kafka.thaw();
    }
    await heard.until((held) => held.length === 6);
  });

  it('come back after the broker was killed and started again', async () => {
    const { heard } = await join();
    await heard.until((held) => held.length === 6);
    await kafka.kill();
    await heard.until((held) => held.length === 0);
    await kafka.restart();
    await heard.until((held) => held.length === 6);
  });

  it('come back after the wall clock of the machine was set back by an hour', async () => {
    const { heard } = await join();
    await heard.until((held) => held.length === 6);
    const right = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => right() - 3_600_000);
    try {
      await heard.until((held) => held.length === 0);
      await heard.until((held) => held.length === 6);
    } finally {
      clock.mockRestore();
    }
  });

  it('join while the broker is away, and hold nothing until it is there', async () => {
    await kafka.kill();
    const { member, heard } = await join();
    expect([member.held().size, heard.told]).toEqual([0, []]);
    await kafka.restart();
    await heard.until((held) => held.length === 6);
  });

  it('carry positions of other topics under the group, for members only', async () => {
    const topic = `work-${count}`;
    await createKafkaTopics(options).ensure([spec(topic, 3)]);
    const { member, heard } = await join();
    await expect(member.commit([{ topic, partition: 0, offset: 5 }])).rejects.toThrow('not a member');
    await heard.until((held) => held.length === 6);
    expect(await member.committed([topic])).toEqual([]);
    const positions = [
      { topic, partition: 0, offset: 5 },
      { topic, partition: 2, offset: 7 },
    ];
    await member.commit(positions);
    const committed = [...(await member.committed([topic]))].sort((a, b) => a.partition - b.partition);
    expect(committed).toEqual(positions);
    await expect(member.commit([{ topic: pool.topic, partition: 0, offset: 1 }])).rejects.toThrow('no positions');
    await member.leave();
    await expect(member.commit(positions)).rejects.toThrow('not a member');
  });
});

describe('on Kafka: topics', () => {
  it('are created once, whoever asks, and counted', async () => {
    const names = [`lane-${count}`, `queue-${count}`] as const;
    const specs = names.map((name) => spec(name, 4));
    const topics = createKafkaTopics(options);
    await Promise.all([topics.ensure(specs), createKafkaTopics(options).ensure(specs)]);
    await topics.ensure(specs);
    expect(await topics.partitions([...names, 'not-there'])).toEqual(
      new Map<string, number | null>([
        [names[0], 4],
        [names[1], 4],
        ['not-there', null],
      ]),
    );
    expect(await topics.list('lane-')).toContain(names[0]);
  });

  it('that differ are named, each difference with what to do', async () => {
    const name = `differs-${count}`;
    const topics = createKafkaTopics(options);
    await topics.ensure([spec(name, 4)]);
    const wanted: TopicSpec = { name, partitions: 5, cleanup: 'compact', retentionMs: -1, bytesMax: 2_000_000 };
    const mismatch: unknown = await topics.ensure([wanted]).catch((error: unknown) => error);
    expect(mismatch).toBeInstanceOf(TopicMismatch);
    const lines = mismatch instanceof Error ? mismatch.message.split('\n') : [];
    expect(lines).toHaveLength(4);
    for (const [index, part] of ['4 partitions', 'cleanup.policy', 'retention.ms', 'max.message.bytes'].entries()) {
      expect(lines[index]).toContain(part);
    }
    expect(await topics.differences([wanted])).toEqual(lines);
  });

  it('are compared without being created', async () => {
    const [there, missing] = [`there-${count}`, `missing-${count}`];
    const topics = createKafkaTopics(options);
    await topics.ensure([spec(there, 2)]);
    expect(await topics.differences([spec(there, 2)])).toEqual([]);
    expect(await topics.differences([spec(there, 2), spec(missing, 2)])).toEqual([
      expect.stringContaining(`${missing}: there is no such topic`),
    ]);
    expect(await topics.list(missing)).toEqual([]);
  });

  it('that have fewer copies than wanted are named', async () => {
    const name = `insync-${count}`;
    await createKafkaTopics(options).ensure([spec(name, 1)]);
    const strict = createKafkaTopics({ ...options, replication: { factor: 3, minInsync: 2 } });
    await expect(strict.ensure([spec(name, 1)])).rejects.toThrow(
      /replication factor 1, wanted 3[^]*min.insync.replicas is 1, wanted 2/,
    );
  });
});

describe('on Kafka: topics that cannot be created', () => {
  it('are named with the reason', async () => {
    const strict = createKafkaTopics({ ...options, replication: { factor: 3, minInsync: 2 } });
    await expect(strict.ensure([spec('too-many-copies', 1)])).rejects.toThrow(/cannot be created.*too-many-copies: /);
  });
});

describe('on Kafka: waiting for the cluster', () => {
  it('answers with the number of brokers', async () => {
    expect(await waitForCluster(options)).toBe(1);
  });

  it('says where it waits and why, and gives up when told', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise<void>((resolve) => closed.close(() => resolve()));
    const giveUp = new AbortController();
    const said: string[] = [];
    const say = (message: string): void => {
      said.push(message);
      giveUp.abort();
    };
    const away = { ...options, brokers: [`127.0.0.1:${port}`] };
    await expect(waitForCluster(away, { say, signal: giveUp.signal })).rejects.toThrow('waiting for Kafka at');
    expect(said[0]).toMatch(new RegExp(`waiting for Kafka at 127.0.0.1:${port}: .*ECONNREFUSED`));
  });
});
