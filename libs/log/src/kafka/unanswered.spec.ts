import kafkajs from 'kafkajs';
import { DeadlineExceeded } from './deadline.js';
import { isUnanswered } from './unanswered.js';

const because = (cause: Error): Error => new Error('topics cannot be created', { cause });

describe('a cluster that does not answer', () => {
  it('is told from one that refuses, also where somebody has wrapped the error', () => {
    const timedOut = new kafkajs.KafkaJSProtocolError({
      message: 'm',
      type: 'REQUEST_TIMED_OUT',
      code: 7,
      retriable: true,
    } as never);
    expect(
      [new DeadlineExceeded('x'), because(new DeadlineExceeded('x')), because(timedOut)].map(isUnanswered),
    ).toEqual([true, true, true]);
    const refused = new kafkajs.KafkaJSProtocolError({
      message: 'm',
      type: 'TOPIC_AUTHORIZATION_FAILED',
      code: 29,
    } as never);
    expect([refused, because(refused), new Error('wrong'), 'text', null].map(isUnanswered)).toEqual(
      Array(5).fill(false),
    );
  });
});
