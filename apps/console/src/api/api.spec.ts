import { jest } from '@jest/globals';
import { keysTouchedBy } from './live-keys.js';
import { asProblem, ApiProblem, problemOf, unreachable } from './problem.js';
import { pathWith } from './query-string.js';
import { pauseBefore, readSse } from './sse.js';
import { Throttle } from './throttle.js';

describe('a query', () => {
  it('repeats the names of lists and leaves out what is empty', () => {
    expect(pathWith('/v1/runs', { status: ['running', 'paused'], text: '', label: [], limit: 50, tenant: null })).toBe(
      '/v1/runs?status=running&status=paused&limit=50',
    );
    expect(pathWith('/v1/runs', {})).toBe('/v1/runs');
    expect(pathWith('/v1/runs', { label: ['a=b c&d'] })).toBe('/v1/runs?label=a%3Db+c%26d');
  });
});

describe('a problem', () => {
  const told = {
    type: 'about:blank',
    title: 'Gone',
    status: 410,
    detail: 'it is gone',
    code: 'gone',
    advice: 'look elsewhere',
  };

  it('is shown as the gateway tells it', () => {
    expect(problemOf(410, told)).toEqual(told);
    expect(asProblem(new ApiProblem(unreachable()))).toMatchObject({ code: 'unreachable' });
  });

  it('is made up where the answer is none of ours, and says what to do', () => {
    expect(problemOf(502, '<html>bad gateway</html>')).toMatchObject({
      status: 502,
      code: 'http_error',
      detail: '<html>bad gateway</html>',
    });
    expect(problemOf(500, { any: 'thing' })).toMatchObject({ detail: 'It gave no reason.' });
    expect(asProblem(new TypeError('x is no function'))).toMatchObject({
      code: 'page_error',
      detail: 'x is no function',
    });
  });
});

describe('a stream', () => {
  it('is read in whole messages, whatever pieces it comes in', () => {
    const text =
      ': hello\n\nretry: 1000\n\nid: 6\n\nid: 7\nevent: run\ndata: {"a":\ndata: 1}\n\nid: 8\r\ndata:2\r\n\r\ndata: 3';
    const whole = readSse(text);
    expect(whole).toEqual({
      rest: 'data: 3',
      messages: [
        { event: 'message', data: '', id: '6' },
        { event: 'run', data: '{"a":\n1}', id: '7' },
        { event: 'message', data: '2', id: '8' },
      ],
    });
    let rest = '';
    const pieced = Array.from(text).flatMap((letter) => {
      const reading = readSse(rest + letter);
      rest = reading.rest;
      return reading.messages;
    });
    expect(pieced).toEqual(whole.messages);
  });

  it('is tried again after longer and longer pauses', () => {
    expect([1, 2, 3, 4, 5, 6, 20].map(pauseBefore)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  });
});

describe('what an event touches', () => {
  const keys = (runId: string | null, type: string): readonly string[] =>
    keysTouchedBy({ runId, type }).map(({ key }) => key.filter((part) => part !== runId).join(' '));

  it('are the lists, and of its run what shows it', () => {
    expect(keys('a', 'StepScheduled')).toEqual(expect.arrayContaining(['runs', 'counters', 'run detail', 'run steps']));
    expect(keys('a', 'StepScheduled')).not.toContain('questions');
    expect(keys(null, 'LaneAcquired')).toEqual(['counters', 'runs']);
  });

  it('are doubts and questions where it is about those', () => {
    expect(keys('a', 'DoubtOpened')).toEqual(expect.arrayContaining(['run doubts', 'doubts', 'questions']));
    expect(keys('a', 'EscalationAnswered')).toContain('questions');
  });
});

describe('a throttle', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('acts at once, then once for all that came meanwhile, and never loses the last', () => {
    const acted: string[] = [];
    const throttle = new Throttle((key) => acted.push(key) > 0);
    for (let call = 0; call < 5; call += 1) throttle.call('a', 100);
    throttle.call('b', 100);
    expect(acted).toEqual(['a', 'b']);
    jest.advanceTimersByTime(100);
    expect(acted).toEqual(['a', 'b', 'a']);
    jest.advanceTimersByTime(1_000);
    expect(acted).toHaveLength(3);
    throttle.call('a', 100);
    expect(acted).toHaveLength(4);
    throttle.call('a', 100);
    throttle.close();
    jest.advanceTimersByTime(1_000);
    expect(acted).toHaveLength(4);
  });

  it('waits less long where somebody is in a hurry', () => {
    const acted: string[] = [];
    const throttle = new Throttle((key) => acted.push(key) > 0);
    throttle.call('a', 6_000);
    throttle.call('a', 6_000);
    throttle.call('a', 100);
    jest.advanceTimersByTime(100);
    expect(acted).toHaveLength(2);
    jest.advanceTimersByTime(10_000);
    expect(acted).toHaveLength(2);
  });

  it('tries again what it could not do', () => {
    let ready = false;
    const acted: boolean[] = [];
    const throttle = new Throttle(() => {
      acted.push(ready);
      return ready;
    });
    throttle.call('a', 100);
    jest.advanceTimersByTime(250);
    expect(acted).toEqual([false, false, false]);
    ready = true;
    jest.advanceTimersByTime(1_000);
    expect(acted).toEqual([false, false, false, true]);
  });
});
