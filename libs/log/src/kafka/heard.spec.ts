import { whenHeard, whenLed } from './heard.js';

const answer = (type: string): Error => Object.assign(new Error(type), { type, code: 3 });

/** Answers one after the other; an error is thrown. Counts how often it was asked. */
const asked = <T>(...answers: readonly (T | Error)[]) => {
  let count = 0;
  const ask = async (): Promise<T> => {
    const next = answers[Math.min(count, answers.length - 1)] as T | Error;
    count += 1;
    if (next instanceof Error) throw next;
    return next;
  };
  return { ask, count: () => count };
};

describe('topics that were just created', () => {
  it('are asked for again until the broker has heard of them', async () => {
    const { ask } = asked<string>(answer('UNKNOWN_TOPIC_OR_PARTITION'), answer('LEADER_NOT_AVAILABLE'), 'here');
    expect(await whenHeard(ask)).toBe('here');
  });

  it('are not asked for again when something else is wrong', async () => {
    const { ask, count } = asked<string>(answer('TOPIC_AUTHORIZATION_FAILED'), 'here');
    await expect(whenHeard(ask)).rejects.toThrow('TOPIC_AUTHORIZATION_FAILED');
    expect(count()).toBe(1);
  });

  it('are waited for until each partition has a leader, however the question fails', async () => {
    const leaderless = new TypeError('Cannot destructure property');
    const { ask, count } = asked<boolean>(leaderless, answer('NOT_LEADER_FOR_PARTITION'), false, true);
    await whenLed(ask);
    expect(count()).toBe(4);
  });

  it('are not waited for for ever', async () => {
    const { ask } = asked<boolean>(false);
    await whenLed(ask, 0);
  });
});
