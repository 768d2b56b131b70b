import { readFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { dataDir, eventually, isAlive, openKafka, startKafka, type KafkaCluster } from '@holdfast/dev';
import { Kafka, logLevel } from 'kafkajs';

let kafka: KafkaCluster;
beforeAll(async () => {
  kafka = await startKafka();
});
afterAll(() => kafka.stop());

const clientOf = ({ brokers }: { brokers: string[] }) =>
  new Kafka({ brokers, logLevel: logLevel.NOTHING, requestTimeout: 2_000, retry: { retries: 0 } });

const withAdmin = async <T>(use: (admin: ReturnType<Kafka['admin']>) => Promise<T>, of = kafka): Promise<T> => {
  const admin = clientOf(of).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
};

const topics = () => withAdmin((admin) => admin.listTopics());

describe('a Kafka for development', () => {
  it('serves as soon as it has started, without making topics unasked', async () => {
    await withAdmin((admin) => admin.createTopics({ topics: [{ topic: 'first' }] }));
    expect(await topics()).toEqual(['first']);
  });

  it('keeps port and data when it is killed and started again', async () => {
    const [before] = kafka.pids;
    await withAdmin((admin) => admin.createTopics({ topics: [{ topic: 'kept' }] }));

    await kafka.kill();
    await expect(topics()).rejects.toThrow();
    await kafka.restart();

    expect(await topics()).toContain('kept');
    expect(kafka.pids).not.toEqual([before]);
  });

  it('keeps the data of a given folder for the next Kafka there', async () => {
    const dir = dataDir('kept');
    const first = await startKafka({ dir });
    await withAdmin((admin) => admin.createTopics({ topics: [{ topic: 'here' }] }), first);
    await first.stop();

    const second = await startKafka({ dir });
    expect(await withAdmin((admin) => admin.listTopics(), second)).toEqual(['here']);
    await second.stop();
  });

  it('answers nobody while it is frozen, and goes on when it thaws', async () => {
    kafka.freeze();
    await expect(topics()).rejects.toThrow();
    kafka.thaw();
    await eventually('it answers', () => topics().catch(() => null));
  });

  it('is never taken for another on the same port', async () => {
    const { port } = kafka.nodes[0] ?? { port: 0 };
    await expect(startKafka({ ports: [port] })).rejects.toThrow('the port is in use');
  });

  it('says what is wrong when it cannot start', async () => {
    const started = startKafka({ config: { 'min.insync.replicas': 'two' } });
    await expect(started).rejects.toThrow(/ended while it started.*value two for configuration min.insync.replicas/s);
  });
});

describe('opening a Kafka', () => {
  it('uses the named brokers and leaves them running', async () => {
    process.env['KAFKA_BROKERS'] = ` ${kafka.brokers[0]} , 127.0.0.1:1 `;
    const opened = await openKafka().finally(() => delete process.env['KAFKA_BROKERS']);
    expect(opened).toMatchObject({ brokers: [kafka.brokers[0], '127.0.0.1:1'], owned: false });
    await opened.stop();
    expect(kafka.pids.map(isAlive)).toEqual([true]);
  });
});

describe('three nodes', () => {
  it('keep what was written when one is killed', async () => {
    const three = await startKafka({ nodes: 3 });
    try {
      await withAdmin((admin) => admin.createTopics({ waitForLeaders: true, topics: [{ topic: 'safe' }] }), three);
      const producer = clientOf(three).producer();
      await producer.connect();
      await producer.send({ topic: 'safe', acks: -1, messages: [{ value: 'here' }] });
      await producer.disconnect();

      await three.kill(0);

      const survivors = { ...three, brokers: three.brokers.slice(1) };
      const metadata = () => withAdmin((admin) => admin.fetchTopicMetadata({ topics: ['safe'] }), survivors);
      const partition = await eventually('another broker leads', async () => {
        const { topics: found } = await metadata().catch(() => ({ topics: [] }));
        const first = found[0]?.partitions[0];
        return first !== undefined && first.leader > 1 ? first : null;
      });
      expect(new Set(partition.replicas)).toEqual(new Set([1, 2, 3]));
      // Who leads is known to one broker before it is known to all.
      const ends = await eventually('its leader answers', () =>
        withAdmin((admin) => admin.fetchTopicOffsets('safe'), survivors).catch(() => null),
      );
      expect(ends).toMatchObject([{ offset: '1' }]);
      const config = join(dirname(three.nodes[1]?.logFile ?? ''), 'server.properties');
      expect(readFileSync(config, 'utf8')).toContain('min.insync.replicas=2');
    } finally {
      await three.stop();
    }
  });
});
