import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaAccess, KafkaAccessInvalid, principalOf, type KafkaAccessSettings } from './access.js';
import { kafkaConfig, type KafkaOptions } from './options.js';

const login = { kafkaSasl: 'scram-sha-512', kafkaUser: 'me', kafkaPassword: 'a password' } as const;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-access-'));
const problems = (settings: KafkaAccessSettings): readonly string[] => {
  try {
    kafkaAccess(settings);
    return [];
  } catch (error) {
    return (error as KafkaAccessInvalid).problems;
  }
};
const configOf = (settings: KafkaAccessSettings) => {
  const nothing = (): void => undefined;
  const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const options: KafkaOptions = { ...kafkaAccess(settings), brokers: ['b:1'], clientId: 'c', logger };
  return kafkaConfig(options, options.brokers, 1_000);
};

describe('the access to a cluster', () => {
  it('is open where nothing is said', () => {
    expect(kafkaAccess({})).toEqual({});
    expect(kafkaAccess({ kafkaTls: false, kafkaSasl: 'none' })).toEqual({});
    expect(principalOf({})).toBe('User:ANONYMOUS');
  });

  it('is a login, with or without TLS, whose user is the principal', () => {
    expect(configOf(login)).toMatchObject({
      sasl: { mechanism: 'scram-sha-512', username: 'me', password: 'a password' },
    });
    expect(configOf(login)).not.toHaveProperty('ssl');
    expect(principalOf(kafkaAccess({ ...login, kafkaTls: true }))).toBe('User:me');
  });

  it('checks certificates whatever is said', () => {
    for (const kafkaServerName of [undefined, 'other.example']) {
      expect(configOf({ kafkaTls: true, kafkaServerName }).ssl).toMatchObject({ rejectUnauthorized: true });
      expect(configOf({ kafkaTls: true, kafkaServerName }).ssl).not.toHaveProperty('checkServerIdentity');
    }
  });

  it.each<[string, KafkaAccessSettings, RegExp]>([
    ['a user without a way to log in', { kafkaUser: 'me' }, /^HOLDFAST_KAFKA_SASL: a user or a password is given/],
    ['a login without a user', { ...login, kafkaUser: undefined }, /^HOLDFAST_KAFKA_USER: .*scram-sha-512 needs it/],
    ['a login without a password', { ...login, kafkaPassword: undefined }, /^HOLDFAST_KAFKA_PASSWORD_FILE: /],
    [
      'an authority without TLS',
      { kafkaCaFile: 'ca.pem' },
      /^HOLDFAST_KAFKA_CA_FILE: is set, but HOLDFAST_KAFKA_TLS is not/,
    ],
    ['a key without a certificate', { kafkaTls: true, kafkaKeyFile: 'k' }, /^HOLDFAST_KAFKA_CERT_FILE: /],
    [
      'a file that is not there',
      { kafkaTls: true, kafkaCaFile: join(folder, 'none') },
      /CA_FILE: .*none is not there$/,
    ],
  ])('is refused for %s', (_, settings, problem) => {
    expect(problems(settings).some((one) => problem.test(one))).toBe(true);
  });

  it('is refused for files that hold something else', () => {
    const file = join(folder, 'text');
    writeFileSync(file, 'nothing of it');
    expect(problems({ kafkaTls: true, kafkaCaFile: file, kafkaCertFile: file, kafkaKeyFile: file })).toEqual([
      expect.stringMatching(/^HOLDFAST_KAFKA_CA_FILE: /),
      expect.stringMatching(/^HOLDFAST_KAFKA_CERT_FILE: /),
      `HOLDFAST_KAFKA_KEY_FILE: ${file} holds no private key in PEM`,
    ]);
  });
});
