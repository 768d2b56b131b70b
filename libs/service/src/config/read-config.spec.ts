import { z } from 'zod';
import { baseConfigSchema } from './base-config.js';
import { ConfigError, readConfig, variableOf } from './read-config.js';
import { millis, oneOf, setting, yesOrNo } from './settings.js';

const env = { KAFKA_BROKERS: 'a:9092, b:9093', PATH: '/bin' };
const problems = (changes: Record<string, string | undefined>, schema: z.ZodObject = baseConfigSchema) => {
  try {
    readConfig(schema, { ...env, ...changes });
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

describe('reading the configuration', () => {
  it('needs the brokers and has a default for the rest', () =>
    expect(readConfig(baseConfigSchema, env)).toMatchObject({
      kafkaBrokers: ['a:9092', 'b:9093'],
      namespace: 'holdfast',
      lanes: 12,
      queues: { default: 4 },
      tools: [],
      httpPort: 0,
      httpHost: '127.0.0.1',
      leaseMs: 3_000,
      heartbeatMs: 500,
      instance: expect.stringMatching(/./) as unknown,
    }));

  it('reads what is given', () => {
    const given = {
      HOLDFAST_QUEUES: 'default:4, slow:2',
      HOLDFAST_TOOLS: './dist/tools.js,@acme/tools',
      HOLDFAST_LANES: '3',
      HOLDFAST_HTTP_HOST: '::',
      HOLDFAST_LOG_LEVEL: 'debug',
      HOLDFAST_FAILPOINT: 'x=kill',
    };
    expect(readConfig(baseConfigSchema, { ...env, ...given })).toMatchObject({
      queues: { default: 4, slow: 2 },
      tools: ['./dist/tools.js', '@acme/tools'],
      lanes: 3,
      httpHost: '::',
      logLevel: 'debug',
    });
  });

  it('names every problem at once: the variable, what is expected and what was given', () =>
    expect(
      problems({ KAFKA_BROKERS: '', HOLDFAST_LANES: '0', HOLDFAST_QUEUES: 'default', HOLDFAST_LANSE: '3' }),
    ).toStrictEqual([
      'KAFKA_BROKERS: expected host:port, several with commas between; it is not set',
      'HOLDFAST_LANES: expected a whole number from 1 to 1024; got "0"',
      'HOLDFAST_QUEUES: expected queue:partitions, several with commas between, for example default:4; got "default"',
      'HOLDFAST_LANSE: is not known; did you mean HOLDFAST_LANES?',
    ]));

  it.each([
    ['KAFKA_BROKERS', 'localhost'],
    ['KAFKA_BROKERS', ','],
    ['HOLDFAST_NAMESPACE', 'a b'],
    ['HOLDFAST_LANES', '1e3'],
    ['HOLDFAST_LANES', '2.5'],
    ['HOLDFAST_QUEUES', 'a:1,a:2'],
    ['HOLDFAST_QUEUES', 'a:0'],
    ['HOLDFAST_HTTP_PORT', '70000'],
    ['HOLDFAST_LOG_LEVEL', 'loud'],
    ['HOLDFAST_LEASE_MS', '-1'],
    ['HOLDFAST_LEASE_MS', '1400'],
    ['HOLDFAST_NEW_THING', '1'],
  ])('refuses %s=%s', (variable, value) => {
    const found = problems({ [variable]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${variable}: `));
  });

  it('takes an empty variable as not set', () => expect(problems({ HOLDFAST_LANES: ' ' })).toStrictEqual([]));

  it('reads variables of a service beside the common ones', () => {
    const schema = baseConfigSchema.extend({
      concurrency: millis(1).default(8),
      workerMode: oneOf('process', 'inline').optional(),
      quiet: yesOrNo().default(false),
    });
    const config = readConfig(schema, { ...env, HOLDFAST_CONCURRENCY: '3', HOLDFAST_QUIET: 'true' });
    expect(config).toMatchObject({ concurrency: 3, quiet: true, lanes: 12 });
    expect(problems({ HOLDFAST_WORKER_MODE: 'thread' }, schema)).toStrictEqual([
      'HOLDFAST_WORKER_MODE: expected one of process, inline; got "thread"',
    ]);
    expect(variableOf(schema, 'leaseMs')).toBe('HOLDFAST_LEASE_MS');
  });

  it('leaves alone what other services read', () => expect(problems({ HOLDFAST_RETENTION_DAYS: '1' })).toEqual([]));

  it('never shows a secret', () => {
    const password = setting('8 letters or more', (text) => (text.length >= 8 ? text : undefined), { secret: true });
    const schema = z.object({ saslPassword: password.optional() });
    const [problem] = problems({ HOLDFAST_SASL_PASSWORD: 'hunter2' }, schema);
    expect(problem).toBe('HOLDFAST_SASL_PASSWORD: expected 8 letters or more; its value (not shown) is not');
  });
});
