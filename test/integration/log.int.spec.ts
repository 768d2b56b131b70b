import { jest } from '@jest/globals';
import { createKafkaLog, createKafkaTopics, LogUnavailable } from '@holdfast/log';
import type { Appended, Entry, KafkaLogger, Log } from '@holdfast/log';
import { startKafka } from '@holdfast/dev';
import type { KafkaCluster } from '@holdfast/dev';
import kafkajs from 'kafkajs';
import { describeLog } from '../contract/log.contract.js';
import { Heard } from '../contract/log/heard.js';
import { acknowledged } from '../contract/log/values.js';
import { ReplyProxy } from '../contract/reply-proxy.js';

const ignore = (): void => undefined;
const logger: KafkaLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

let kafka: KafkaCluster;
let topicCount = 0;

beforeAll(async () => {
  kafka = await startKafka();
}, 120_000);

afterAll(() => kafka.stop(), 30_000);

const open = (more: Partial<Parameters<typeof createKafkaLog>[0]> = {}): Log =>
  createKafkaLog({ brokers: kafka.brokers, clientId: 'log-spec', logger, ...more });

const createTopic = async (partitions: number, bytesMax?: number): Promise<string> => {
  const name = `spec-${topicCount++}`;
  const size = bytesMax === undefined ? {} : { bytesMax };
  const topics = createKafkaTopics({ brokers: kafka.brokers, clientId: 'log-spec', logger });
  await topics.ensure([{ name, partitions, cleanup: 'delete', retentionMs: -1, ...size }]);
  return name;
};

const forget = async (topic: string, partition: number, offset: number): Promise<void> => {
  const client = new kafkajs.Kafka({
    brokers: kafka.brokers,
    clientId: 'log-spec',
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const admin = client.admin();
  await admin.connect();
  await admin.fetchTopicMetadata({ topics: [topic] });
  await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
  await admin.disconnect();
};

jest.setTimeout(60_000);

describeLog('on Kafka', () =>
  Promise.resolve({ open: () => open(), topic: createTopic, forget, stop: () => Promise.resolve() }),
);

const entries = (...values: string[]): Entry[] => values.map((value) => ({ key: null, value: Buffer.from(value) }));
const valuesOf = (heard: Heard, partition = 0): string[] =>
  heard.records(partition).map(({ value }) => Buffer.from(value ?? []).toString());

/** Appends the same value until an append is acknowledged; answers that one. */
const insist = async (log: Log, topic: string, value: string): Promise<number> => {
  for (;;) {
    const answer: Appended = await log.append(topic, 0, entries(value));
    if (answer.outcome === 'appended') return answer.offset;
  }
};

describe('on Kafka: answers that do not come', () => {
  let proxy: ReplyProxy;
  let log: Log;

  beforeEach(() => {
    proxy = new ReplyProxy();
    log = open({ socketFactory: proxy.socketFactory, appendTimeoutMs: 700, readTimeoutMs: 700 });
  });

  afterEach(async () => {
    await log.close();
    await proxy.close();
  });

  it.each(['swallowed', 'cut'] as const)('a reply that is %s: unknown, and the record is there, once', async (how) => {
    const topic = await createTopic(1);
    const straight = open();
    const heard = new Heard();
    straight.tail(heard).follow(topic, 0, 0);
    expect(acknowledged(await log.append(topic, 0, entries('a')))).toBe(0);
    if (how === 'cut') proxy.cutAtReply();
    else proxy.swallowReplies();
    expect(await log.append(topic, 0, entries('b'))).toMatchObject({ outcome: 'unknown' });
    await heard.until(() => heard.records(0).length === 2);
    expect(acknowledged(await log.append(topic, 0, entries('c')))).toBe(2);
    await heard.until(() => heard.records(0).length === 3);
    expect(valuesOf(heard)).toEqual(['a', 'b', 'c']);
    await straight.close();
  });

  it.each(['swallowed', 'cut'] as const)('a tail and reads go on after replies were %s', async (how) => {
    const topic = await createTopic(2);
    const heard = new Heard();
    log.tail(heard).follow(topic, 0, 0);
    acknowledged(await log.append(topic, 0, entries('a')));
    await log.read(topic, 0, 0);
    await heard.until(() => heard.records(0).length === 1);
    if (how === 'cut') proxy.cutAtReply();
    else proxy.swallowReplies();
    await expect(log.read(topic, 0, 0)).rejects.toBeInstanceOf(LogUnavailable);
    await heard.until(() => heard.troubles.length > 0);
    const offset = await insist(log, topic, 'b');
    await heard.until(() => heard.records(0).some((record) => record.offset === offset));
    expect(heard.records(0).map((record) => record.offset)).toEqual(heard.records(0).map((_, index) => index));
    expect(await log.read(topic, 0, 0)).toMatchObject({ outcome: 'fetched' });
  });
});

describe('on Kafka: the broker itself', () => {
  let log: Log;
  let topic: string;
  let heard: Heard;

  beforeEach(async () => {
    topic = await createTopic(1);
    log = open({ appendTimeoutMs: 700, readTimeoutMs: 700 });
    heard = new Heard();
    log.tail(heard).follow(topic, 0, 0);
    acknowledged(await log.append(topic, 0, entries('before')));
    await heard.until(() => heard.records(0).length === 1);
  });

  afterEach(() => log.close());

  it('frozen: an append is unknown and arrives after the thaw; the same log goes on', async () => {
    kafka.freeze();
    try {
      expect(await log.append(topic, 0, entries('while frozen'))).toMatchObject({ outcome: 'unknown' });
      await expect(log.read(topic, 0, 0)).rejects.toBeInstanceOf(LogUnavailable);
    } finally {
      kafka.thaw();
    }
    await insist(log, topic, 'after');
    await heard.until(() => valuesOf(heard).includes('while frozen') && valuesOf(heard).includes('after'));
    expect(heard.records(0).map(({ offset }) => offset)).toEqual(heard.records(0).map((_, index) => index));
  });

  it('killed and started again: unknown, unavailable, then the same log goes on and nothing acknowledged is lost', async () => {
    await kafka.kill();
    expect(await log.append(topic, 0, entries('while down'))).toMatchObject({ outcome: 'unknown' });
    await expect(log.bounds(topic, 0)).rejects.toBeInstanceOf(LogUnavailable);
    await kafka.restart();
    const offset = await insist(log, topic, 'after');
    await heard.until(() => heard.records(0).some((record) => record.offset === offset));
    expect(valuesOf(heard)[0]).toBe('before');
    expect(heard.records(0).map((record) => record.offset)).toEqual(heard.records(0).map((_, index) => index));
  });
});
