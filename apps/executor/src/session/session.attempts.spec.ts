import { id, order, pure, Scenario } from './testing/scenario.js';

describe('a command', () => {
  it('is refused when this process cannot do it, and asks only for closing', () => {
    const executor = Scenario.ready().reads({ order: order('a'), lane: 3, refusal: 'unknown tool' });
    expect(executor.words()).toEqual(['AttemptRefused a']);
    expect(executor.claims()).toEqual([]);
    expect(executor.position()).toBe(0);
    expect(executor.journaled('a').position()).toBe(1);
  });

  it('of a stopped run is dropped without a word', () => {
    const executor = Scenario.ready().aborts().reads(order('a'), pure('b'));
    expect([executor.claims(), executor.words(), executor.calls()]).toEqual([[], [], []]);
    expect(executor.position()).toBe(2);
  });

  it('passes as soon as its first claim was read, not when a claim was sent', () => {
    const executor = Scenario.ready().reads(order('a'));
    expect(executor.position()).toBe(0);
    expect(executor.landed(0).position()).toBe(1);
  });

  it('holds the position behind it back while it is open', () => {
    const executor = Scenario.ready({}, { concurrency: 1 })
      .reads(pure('a'), order('b', { claimsFrom: 0 }))
      .ends('a');
    executor.landed(0);
    expect(executor.position()).toBe(0);
    expect(executor.journaled('a').position()).toBe(2);
  });

  it('that is none holds the position until it lies with the dead letters', () => {
    const executor = Scenario.ready().readsNoCommand();
    expect(executor.position()).toBe(0);
    executor.feed({ type: 'dead-letter-written', queue: 'default', partition: 0, offset: 0 });
    expect(executor.position()).toBe(1);
  });

  it('whose time passed while it waited for a slot is dropped', () => {
    const executor = Scenario.ready({}, { concurrency: 1 })
      .reads(order('a', { timeoutMs: 90_000 }), order('b'))
      .landed(0);
    executor.live(61_000).ends('a').journaled('a');
    expect(executor.claims()).toEqual([['a']]);
    expect(executor.position()).toBe(2);
  });
});

describe('a call', () => {
  it('ends with one record for the journal of its lane, in the name of its session', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0).wait(20).ends('a');
    expect(executor.of('write-journal')).toMatchObject([
      {
        lane: 3,
        attemptId: 'run-1/a/0',
        session: 'S0',
        entry: { type: 'AttemptSucceeded', data: { deadline: 1_005_000, startedAt: 1_000_000, endedAt: 1_000_020 } },
      },
    ]);
  });

  it('that lasts is made known once', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0);
    expect(executor.live(200).words()).toEqual([]);
    expect(executor.live(500).words()).toEqual(['AttemptStarted a']);
  });

  it('is told when its deadline passes, and given up after the grace', () => {
    const executor = Scenario.ready({}, { concurrency: 1 }).reads(order('a'), order('b')).landed(0).live(5_000);
    expect(executor.of('abort-call')).toEqual([{ type: 'abort-call', attemptId: id('a'), reason: 'deadline' }]);
    expect(executor.live(2_500).words()).toEqual(['AttemptStarted a', 'AttemptUnknown a']);
    expect(executor.claims()).toEqual([['a'], ['b']]);
  });

  it('that was given up still has its late outcome reported', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0).live(8_000).ends('a');
    expect(executor.words().at(-1)).toBe('AttemptSucceeded a');
  });

  it('of a stopped run gets its signal; what is held but not begun is skipped', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0).reads(order('b')).aborts().landed(1);
    expect(executor.of('abort-call')).toEqual([{ type: 'abort-call', attemptId: id('a'), reason: 'run_aborted' }]);
    expect(executor.words()).toEqual(['AttemptSkipped b']);
    executor.ends('a', { outcome: 'aborted', effect: 'unknown', reason: 'run_aborted' });
    expect(executor.words()).toEqual(['AttemptSkipped b', 'AttemptAborted a']);
  });

  it('of a run that drains may end, but none begins', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0).reads(order('b')).aborts('drain').landed(1);
    expect(executor.of('abort-call')).toEqual([]);
    expect(executor.words()).toEqual(['AttemptSkipped b']);
  });

  it('is left when the checks fail at the last moment, and the holder says so', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0);
    executor.feed({ type: 'call-blocked', attemptId: id('a'), reason: 'deadline_passed' });
    expect(executor.words()).toEqual(['AttemptSkipped a']);
    expect(executor.state.slotsUsed).toBe(0);
  });
});

describe('a pure attempt', () => {
  it('needs no claim', () => expect(Scenario.ready().reads(pure('a')).calls()).toEqual(['a']));

  it('passes when its outcome is acknowledged, and is not run again for a copy', () => {
    const executor = Scenario.ready().reads(pure('a')).reads(pure('a')).ends('a');
    expect(executor.position()).toBe(0);
    expect(executor.journaled('a').position()).toBe(2);
    expect(executor.reads(pure('a')).calls()).toEqual(['a']);
  });

  it('is never in doubt: an unknown outcome is a failure that may be tried again', () => {
    const executor = Scenario.ready().reads(pure('a'));
    executor.ends('a', { outcome: 'unknown', failure: { code: 'x', message: 'x' } });
    expect(executor.of('write-journal')[0]?.entry).toMatchObject({ type: 'AttemptFailed', data: { retry: 'later' } });
  });

  it('that was in its call at too many deaths of a worker is not called any more', () => {
    const executor = Scenario.ready()
      .feed({ type: 'quarantine', attemptIds: [id('a')], suspects: [] })
      .reads(pure('a'));
    expect(executor.calls()).toEqual([]);
    expect(executor.of('write-journal')[0]?.entry).toMatchObject({
      type: 'AttemptFailed',
      data: { failure: { code: 'worker_died' }, retry: 'never' },
    });
  });
});

describe('an attempt that stands alone', () => {
  const suspect = () => order('suspect', { policy: 'pure', alone: true });

  it('waits until nothing else is called, and nobody overtakes it', () => {
    const executor = Scenario.ready().reads(pure('a')).reads(suspect()).reads(pure('b'));
    expect(executor.calls()).toEqual(['a']);
    executor.ends('a');
    expect(executor.calls()).toEqual(['a', 'suspect']);
    executor.ends('suspect');
    expect(executor.calls()).toEqual(['a', 'suspect', 'b']);
  });

  it('is also one that was in its call when its worker died once less than is allowed', () => {
    const executor = Scenario.ready().feed({ type: 'quarantine', attemptIds: [], suspects: [id('s')] });
    executor.reads(pure('a')).reads(pure('s')).reads(pure('b'));
    expect(executor.calls()).toEqual(['a']);
  });
});
