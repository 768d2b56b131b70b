import { jest } from '@jest/globals';
import { createKafkaLog, createKafkaTopics } from '@holdfast/log';
import type { Entry, KafkaLogger, KafkaOptions, Log } from '@holdfast/log';
import { startKafka } from '@holdfast/dev';
import type { KafkaCluster } from '@holdfast/dev';
import { Heard } from '../contract/log/heard.js';
import { leadersOf } from '../support/cluster.js';

const ignore = (): void => undefined;
const logger: KafkaLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const PARTITIONS = 6;

let kafka: KafkaCluster;
let options: KafkaOptions;

jest.setTimeout(120_000);

beforeAll(async () => {
  kafka = await startKafka({ nodes: 3 });
  options = { brokers: kafka.brokers, clientId: 'cluster-spec', logger };
}, 180_000);

afterAll(() => kafka.stop(), 60_000);

const entries = (value: string): Entry[] => [{ key: null, value: Buffer.from(value) }];
const valuesOf = (heard: Heard, partition: number): string[] =>
  heard.records(partition).map(({ value }) => Buffer.from(value ?? []).toString());

describe('on three brokers', () => {
  let log: Log;
  let heard: Heard;
  let topic: string;
  /** Every acknowledged append: partition, offset and value. */
  let kept: { partition: number; offset: number; value: string }[];
  let count = 0;

  beforeEach(async () => {
    topic = `cluster-${count++}`;
    await createKafkaTopics(options).ensure([
      { name: topic, partitions: PARTITIONS, cleanup: 'delete', retentionMs: -1 },
    ]);
    log = createKafkaLog({ ...options, appendTimeoutMs: 1000, readTimeoutMs: 1000 });
    heard = new Heard();
    kept = [];
    const tail = log.tail(heard);
    for (let partition = 0; partition < PARTITIONS; partition++) {
      tail.follow(topic, partition, 0);
      await insist(partition, 'before');
    }
  });

  afterEach(() => log.close());

  const append = async (partition: number, text: string): Promise<number | null> => {
    const value = `${text} ${count++}`;
    const answer = await log.append(topic, partition, entries(value));
    if (answer.outcome !== 'appended') return null;
    kept.push({ partition, offset: answer.offset, value });
    return answer.offset;
  };

  const insist = async (partition: number, text: string): Promise<number> => {
    for (;;) {
      const offset = await append(partition, text);
      if (offset !== null) return offset;
    }
  };

  it.each(['frozen', 'killed'] as const)(
    'a leader is %s: its partitions move on, the others go on, nothing acknowledged is lost',
    async (how) => {
      const leading = await leadersOf(kafka, topic);
      const victim = leading[0] ?? 0;
      const own = leading.flatMap((leader, partition) => (leader === victim ? [partition] : []));
      const others = leading.flatMap((leader, partition) => (leader === victim ? [] : [partition]));
      expect(others.length).toBeGreaterThan(0);
      if (how === 'frozen') kafka.freeze(victim);
      else await kafka.kill(victim);
      try {
        const moving = { over: false };
        const movedOn = Promise.all(own.map((partition) => insist(partition, 'moved'))).then((offsets) => {
          moving.over = true;
          return offsets;
        });
        const steady = others.map(async (partition) => {
          let appended = 0;
          while (!moving.over) if ((await append(partition, 'steady')) !== null) appended++;
          return appended;
        });
        const offsets = await movedOn;
        // Acks of all replicas wait for the broken one until it leaves the replica set: unknown until then.
        for (const appended of await Promise.all(steady)) expect(appended).toBeGreaterThan(0);
        await heard.until(() =>
          own.every((partition, index) => heard.records(partition).length > (offsets[index] ?? 0)),
        );
      } finally {
        if (how === 'frozen') kafka.thaw(victim);
        else await kafka.restart(victim);
      }
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const last = await insist(partition, 'after');
        await heard.until(() => heard.records(partition).length > last);
        const offsets = heard.records(partition).map(({ offset }) => offset);
        expect(offsets).toEqual(offsets.map((_, index) => index));
      }
      for (const { partition, offset, value } of kept) expect(valuesOf(heard, partition)[offset]).toBe(value);
    },
  );
});
