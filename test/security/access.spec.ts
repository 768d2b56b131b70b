import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import {
  createKafkaLog,
  createKafkaSeats,
  createKafkaTopics,
  KafkaAccessDenied,
  principalOf,
  waitForCluster,
  type KafkaOptions,
  type Tail,
} from '@holdfast/log';
import { accessFrom } from '@holdfast/service/kafka-settings';
import { Authority } from './support/certificates.js';
import { SecuredKafka, silent } from './support/secured-kafka.js';

let kafka: SecuredKafka;
beforeAll(async () => {
  kafka = await SecuredKafka.start({ coordinator: 'a password of a coordinator' });
  await createKafkaTopics(kafka.optionsOf('admin')).ensure([
    { name: 'a-topic', partitions: 1, cleanup: 'delete', retentionMs: 3_600_000 },
    { name: 'seats', partitions: 2, cleanup: 'delete', retentionMs: 3_600_000 },
  ]);
});
afterAll(() => kafka?.stop());

/** Why the cluster does not let one in. */
const refusal = async (options: KafkaOptions): Promise<string> => {
  const waited = waitForCluster(options, { deadlineMs: 20_000 });
  await expect(waited).rejects.toThrow(KafkaAccessDenied);
  return waited.then(String, (error: Error) => error.message);
};

describe('over TLS with a login', () => {
  it.each(['plain', 'scram-sha-512'])('by %s everything works that reaches Kafka', async (mechanism) => {
    const options = kafka.optionsOf(mechanism === 'plain' ? 'admin' : 'coordinator');
    expect(options.login?.mechanism).toBe(mechanism);
    expect(await waitForCluster(options)).toBe(1);
  });

  it('appends, reads, follows, holds seats and commits', async () => {
    const options = kafka.optionsOf('admin');
    const log = createKafkaLog(options);
    const followed: string[] = [];
    let tail: Tail | undefined;
    const seen = new Promise<void>((resolve) => {
      tail = log.tail({
        batch: ({ records }) => {
          followed.push(...records.map(({ value }) => Buffer.from(value ?? []).toString()));
          if (followed.length > 0) resolve();
        },
        outOfRange: () => undefined,
      });
      tail.follow('a-topic', 0, 0);
    });
    const appended = await log.append('a-topic', 0, [{ key: null, value: Buffer.from('hidden') }]);
    expect(appended).toMatchObject({ outcome: 'appended', offset: 0 });
    expect(await log.read('a-topic', 0, 0)).toMatchObject({ outcome: 'fetched', next: 1 });
    await seen;
    expect(followed).toEqual(['hidden']);

    const membership = await createKafkaSeats(options).join({ topic: 'seats', group: 'seats' }, () => undefined);
    const positions = [{ topic: 'a-topic', partition: 0, offset: 1 }];
    await eventually('a member commits', () =>
      membership.commit(positions).then(
        () => true,
        () => false,
      ),
    );
    expect([...membership.held()]).toEqual([0, 1]);
    expect(await membership.committed(['a-topic'])).toEqual(positions);
    await membership.leave();
    await log.close();
  });

  it('lets a client in by its certificate, whose name is its principal', async () => {
    const { cert, key } = await kafka.authority.sign('reconciler');
    const files = {
      HOLDFAST_KAFKA_TLS: 'true',
      HOLDFAST_KAFKA_CA_FILE: kafka.write('ca-again.pem', kafka.authority.cert),
      HOLDFAST_KAFKA_CERT_FILE: kafka.write('client.pem', cert),
      HOLDFAST_KAFKA_KEY_FILE: kafka.write('client.key', key),
    };
    const options = { ...accessFrom(files), brokers: kafka.certificateBrokers, clientId: 'cert', logger: silent };
    expect(principalOf(options)).toBe('User:CN=reconciler');
    expect(await waitForCluster(options)).toBe(1);
    const { tls } = options;
    expect(await refusal({ ...options, tls: { ca: tls?.ca ?? '' } })).toContain(
      'it wants a certificate of its clients',
    );
  });
});

describe('a client that is not let in', () => {
  it('hears at once that its password or its user is wrong', async () => {
    const options = kafka.optionsOf('coordinator');
    const wrong = { ...options, login: { ...options.login!, password: 'not the password' } };
    const said = await refusal(wrong);
    expect(said).toContain(
      'it refuses the login of User:coordinator by SCRAM-SHA-512: the password is wrong, or there is',
    );
    expect(said).not.toContain('not the password');
    expect(await refusal({ ...options, login: { ...options.login!, user: 'nobody' } })).toContain('User:nobody');
    expect(await refusal({ ...options, login: { ...options.login!, mechanism: 'scram-sha-256' } })).toContain(
      'it does not know the login SCRAM-SHA-256',
    );
  });

  it('hears that nobody vouches for the broker, and says no password to it', async () => {
    const other = await Authority.make('Somebody else');
    const options = kafka.optionsOf('admin');
    expect(await refusal({ ...options, tls: { ca: other.cert } })).toMatch(
      /nobody vouches for its certificate .* by HOLDFAST_KAFKA_CA_FILE/,
    );
    expect(await refusal({ ...options, tls: {} })).toContain('by what Node.js trusts; set HOLDFAST_KAFKA_CA_FILE');
  });

  it('hears that the certificate is for another name', async () => {
    const options = kafka.optionsOf('admin', { HOLDFAST_KAFKA_SERVER_NAME: 'kafka.example.org' });
    expect(await refusal(options)).toMatch(
      /its certificate is for another name .*kafka\.example\.org.*HOLDFAST_KAFKA_SERVER_NAME/,
    );
    expect(await waitForCluster(kafka.optionsOf('admin', { HOLDFAST_KAFKA_SERVER_NAME: 'localhost' }))).toBe(1);
  });

  it('hears that it must log in, and that the port speaks TLS', async () => {
    const { tls: _, login: __, ...open } = kafka.optionsOf('admin');
    const { login: ___, ...nobody } = kafka.optionsOf('admin');
    expect(await refusal(nobody)).toMatch(/wants a login, and none is given; set HOLDFAST_KAFKA_SASL/);
    expect(await refusal(open)).toContain('speaks TLS only; set HOLDFAST_KAFKA_TLS=true');
  });

  it('keeps waiting for a port that says nothing at all', async () => {
    const mute = createServer((socket) => void setImmediate(() => socket.destroy()));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const brokers = [`127.0.0.1:${(mute.address() as AddressInfo).port}`];
    const waited = waitForCluster({ ...kafka.optionsOf('admin'), brokers }, { deadlineMs: 1_000 });
    await expect(waited).rejects.toThrow('waiting for Kafka at');
    await expect(waited).rejects.not.toThrow(KafkaAccessDenied);
    await new Promise<void>((resolve) => mute.close(() => resolve()));
  });
});

describe('TLS to a port without it', () => {
  let open: KafkaCluster;
  beforeAll(async () => {
    open = await startKafka();
  });
  afterAll(() => open?.stop());

  it('is told so', async () => {
    const { login: _, ...options } = { ...kafka.optionsOf('admin'), brokers: open.brokers };
    expect(await refusal(options)).toContain('speaks no TLS; name the port that does');
  });
});
