import type { Appended, Entry } from '../log.port.js';
import { Appender } from './append.js';
import type { BrokerClient } from './client.js';
import type { ProduceAnswer, ProduceRequest } from './internals.js';

const entry: Entry = { key: null, value: Buffer.from('a') };
const place = { partition: 0, errorCode: 0, baseOffset: '5', logAppendTime: '1700000000000' };
const good: ProduceAnswer = { topics: [{ topicName: 't', partitions: [place] }] };

/** An appender whose broker answers as told, and what it was asked and blamed for. */
function appender(produce: (request: ProduceRequest) => Promise<ProduceAnswer>, timeoutMs = 10_000) {
  const blamed: unknown[] = [];
  const client = {
    leader: () => Promise.resolve({ session: {}, node: '1', broker: { produce } }),
    blame: (_: unknown, error: unknown) => blamed.push(error),
  };
  const made = new Appender([client as unknown as BrokerClient], {
    timeoutMs,
    batchBytesMax: 1000,
    principal: 'User:me',
  });
  return { made, blamed, append: (): Promise<Appended> => made.append('t', 0, [entry]) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const brokerError = (type: string): Error => Object.assign(new Error(type), { type, code: 1 });

describe('Appender', () => {
  it('takes an answer for exactly the asked partition as acknowledged', async () => {
    const { append } = appender(() => Promise.resolve(good));
    expect(await append()).toEqual({ outcome: 'appended', offset: 5, at: 1_700_000_000_000 });
  });

  it("has no time where the topic keeps the writer's", async () => {
    const topics = [{ topicName: 't', partitions: [{ ...place, logAppendTime: '-1' }] }];
    expect(await appender(() => Promise.resolve({ topics })).append()).toMatchObject({ at: null });
  });

  it.each([
    ['no partition', []],
    ['two partitions', [place, { ...place, partition: 1 }]],
    ['another partition', [{ ...place, partition: 1 }]],
    ['an error', [{ ...place, errorCode: 3 }]],
    ['no offset', [{ ...place, baseOffset: '-1' }]],
  ])('knows nothing after an answer that names %s', async (_, partitions) => {
    const answer = { topics: [{ topicName: 't', partitions }] };
    expect(await appender(() => Promise.resolve(answer)).append()).toMatchObject({ outcome: 'unknown' });
  });

  it.each(['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'REQUEST_TIMED_OUT', 'NOT_LEADER_FOR_PARTITION'])(
    'knows nothing after %s',
    async (type) => {
      const { append, blamed } = appender(() => Promise.reject(brokerError(type)));
      expect(await append()).toMatchObject({ outcome: 'unknown', detail: type });
      expect(blamed).toHaveLength(1);
    },
  );

  it('takes a batch too large for the broker, or for itself, as refused', async () => {
    const { append, made } = appender(() => Promise.reject(brokerError('MESSAGE_TOO_LARGE')));
    expect(await append()).toMatchObject({ outcome: 'refused', reason: 'too_large' });
    const large = [{ key: null, value: Buffer.alloc(1000) }];
    expect(await made.append('t', 0, large)).toMatchObject({ outcome: 'refused', reason: 'too_large' });
  });

  it('is told who may not write where, and what grants it', async () => {
    const { append } = appender(() => Promise.reject(brokerError('TOPIC_AUTHORIZATION_FAILED')));
    expect(await append()).toEqual({
      outcome: 'refused',
      reason: 'denied',
      detail: 'User:me may not write t; grant it with: holdfast acls --apply --principal <role>=User:me',
    });
  });

  it('has one append in flight per partition, in call order', async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const { made } = appender(({ topicData }) => {
      asked.push(String(topicData[0]?.partitions[0]?.messages[0]?.value));
      return new Promise((resolve) => answers.push(() => resolve(good)));
    });
    const all = ['a', 'b', 'c'].map((value) => made.append('t', 0, [{ key: null, value: Buffer.from(value) }]));
    for (const expected of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      await turn();
      expect(asked).toEqual(expected);
      answers.at(-1)?.();
    }
    await Promise.all(all);
  });

  it('gives up after its time and blames the broker', async () => {
    const { append, blamed } = appender(() => new Promise(() => undefined), 1);
    expect(await append()).toMatchObject({ outcome: 'unknown' });
    expect(blamed).toHaveLength(1);
  });

  it('answers what waits when it is closed, and sends no more', async () => {
    let asked = 0;
    const { append, made } = appender(() => {
      asked++;
      return new Promise(() => undefined);
    });
    const waiting = [append(), append()];
    await new Promise((resolve) => setImmediate(resolve));
    made.close();
    for (const answer of waiting) expect(await answer).toMatchObject({ outcome: 'unknown' });
    expect(await append()).toMatchObject({ outcome: 'unknown' });
    expect(asked).toBe(1);
  });
});
