import { effectBlockedBy } from './attempt.call.js';
import { timeToActBy } from './lease.js';
import type { Attempt } from './session.state.js';
import { claimedBy, id, order, Scenario, SUCCEEDED } from './testing/scenario.js';

const pure = (name: string) => order(name, { policy: 'pure' });

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

describe('seats', () => {
  it('that are lost leave to others what was not claimed; what was claimed is finished', () => {
    const executor = Scenario.ready({}, { concurrency: 1 })
      .reads(order('a'), order('b'))
      .losesSeat()
      .landed(0)
      .ends('a');
    expect(executor.calls()).toEqual(['a']);
    expect(executor.claims()).toEqual([['a']]);
    expect(executor.of('unfollow-commands')).toHaveLength(1);
    expect(executor.of('unfollow-claims')).toHaveLength(1);
  });

  it('that come back find their commands again from the position that others left', () => {
    const executor = Scenario.ready().reads(pure('a')).losesSeat().gainsSeat(0).reads(pure('a'));
    expect(executor.calls()).toEqual(['a']);
    expect(executor.position()).toBe(0);
    expect(executor.ends('a').journaled('a').position()).toBe(1);
  });
});

describe('a session', () => {
  it('claims nothing before its first heartbeat is acknowledged', () => {
    const executor = new Scenario().opens('S0').gainsSeat().reads(order('a'), pure('b'));
    expect([executor.claims(), executor.calls()]).toEqual([[], []]);
    expect(executor.beats().claims()).toEqual([['a']]);
  });

  it('counts a heartbeat from its sending', () => {
    const executor = Scenario.ready();
    const sent = executor.time;
    expect(executor.wait(2_500).beats(sent).reads(order('a')).claims()).toEqual([]);
  });

  it('trusts the stricter of two clocks', () => {
    const executor = Scenario.ready();
    executor.time = { ...executor.time, now: executor.time.now + 2_600 };
    expect(executor.reads(order('a')).claims()).toEqual([]);
  });

  it('drains after a gap longer than its lease, though it is heard again', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0).wait(3_100).beats().reads(order('b'));
    expect(executor.of('session-draining')).toMatchObject([{ session: 'S0' }]);
    expect(executor.claims()).toEqual([['a']]);
    expect(executor.of('session-over')).toEqual([]);
    expect(executor.ends('a').journaled('a').of('session-over')).toEqual([{ type: 'session-over', session: 'S0' }]);
  });

  it('begins no effect any more after such a gap, also once it is heard again: others may have taken it for dead', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0);
    const attempt = executor.state.attempts.get(id('a')) as Attempt;
    const blocked = () => effectBlockedBy(executor.state, attempt, timeToActBy(executor.state, executor.time));
    expect(blocked()).toBeNull();
    executor.wait(3_100);
    expect(blocked()).toBe('heartbeat_stale');
    executor.beats();
    expect(blocked()).toBe('heartbeat_stale');
  });

  it('that drains skips what it holds and has not begun', () => {
    const executor = Scenario.ready().reads(order('a')).wait(3_100).beats().landed(0);
    expect(executor.calls()).toEqual([]);
    expect(executor.words()).toEqual(['AttemptSkipped a']);
  });

  it('leaves new work to the next one', () => {
    const executor = Scenario.ready().wait(3_100).beats().opens('S1').beats().reads(order('b')).landed(0).ends('b');
    expect(executor.of('write-journal')[0]?.session).toBe('S1');
  });

  it('takes no work while the clock is off', () => {
    const executor = Scenario.ready();
    executor.beats(executor.time, -1_500).reads(order('a'));
    expect(executor.claims()).toEqual([]);
    expect(executor.wait(10).beats().claims()).toEqual([['a']]);
  });
});

describe('a heartbeat whose answer proves nothing about the clock', () => {
  it('lets no work be taken before one has proved it right', () => {
    const executor = new Scenario().opens('S0').gainsSeat();
    executor.beats(executor.time, 0, false).reads(order('a'));
    expect(executor.claims()).toEqual([]);
    expect(executor.beats().claims()).toEqual([['a']]);
  });

  it('does not make a clock that was set be followed', () => {
    const executor = Scenario.ready();
    executor.time = { ...executor.time, now: executor.time.now - 60_000 };
    executor.beats(executor.time, 0, false).reads(order('a'));
    expect(executor.lastAppend().claims).toMatchObject([{ deadline: 1_000_000 + 5_000 }]);
  });
});

describe('a wall clock that is set', () => {
  const HOUR_MS = 3_600_000;
  const set = (executor: Scenario, ms: number): Scenario => {
    executor.time = { ...executor.time, now: executor.time.now + ms };
    return executor;
  };

  it('back gives a call under way no more time', () => {
    const executor = set(Scenario.ready().reads(order('a')).landed(0), -HOUR_MS);
    expect(executor.wait(4_999).feed({ type: 'tick' }).of('abort-call')).toEqual([]);
    expect(executor.wait(1).feed({ type: 'tick' }).of('abort-call')).toMatchObject([{ reason: 'deadline' }]);
  });

  it('back makes no deadline that others take for past', () => {
    const executor = set(Scenario.ready(), -HOUR_MS).wait(100).reads(order('a'));
    expect(executor.lastAppend().claims).toMatchObject([{ deadline: 1_000_000 + 100 + 5_000 }]);
  });

  it('back is followed once a heartbeat shows that it is right', () => {
    const executor = set(Scenario.ready(), -HOUR_MS).beats().reads(order('a'));
    expect(executor.lastAppend().claims).toMatchObject([{ deadline: 1_000_000 - HOUR_MS + 5_000 }]);
  });

  it('back and right again lets calls go on and drains no session: it was heard of all the time', () => {
    const executor = set(Scenario.ready().reads(order('a')).landed(0), -HOUR_MS);
    executor.wait(500).beats(executor.time, -HOUR_MS).wait(500);
    const attempt = executor.state.attempts.get(id('a')) as Attempt;
    expect(effectBlockedBy(executor.state, attempt, timeToActBy(executor.state, executor.time))).toBeNull();
    set(executor, HOUR_MS).beats();
    expect(executor.of('session-draining')).toEqual([]);
  });

  it('back lets what is past its time be dropped all the same', () => {
    const executor = Scenario.ready({}, { concurrency: 1 })
      .reads(order('a', { timeoutMs: 90_000 }))
      .landed(0)
      .live(2_000);
    set(executor, -HOUR_MS)
      .beats()
      .reads(order('b', { startBy: executor.time.now + 2_000 }))
      .live(4_000);
    expect(executor.position()).toBe(2);
  });

  it('forward and back again makes it forget no claim of another that it read meanwhile', () => {
    const executor = set(Scenario.ready().reads(order('x')).landed(0), HOUR_MS);
    executor.seesClaims(0, claimedBy('S0', 'x'), claimedBy('S9', 'a'));
    set(executor, -HOUR_MS).beats().reads(order('a'));
    if (executor.claims().length > 1) executor.landed(2);
    expect(executor.calls()).toEqual(['x']);
  });

  it('forward and back again makes it forget nothing of what it called', () => {
    const again = order('a', { startBy: 1_002_000 });
    const executor = Scenario.ready().reads(again).landed(0).ends('a').journaled('a');
    set(set(executor, HOUR_MS).feed({ type: 'tick' }), -HOUR_MS).reads(again);
    if (executor.claims().length > 1) executor.landed(1);
    expect(executor.calls()).toEqual(['a']);
  });
});

describe('stopping', () => {
  it('takes nothing more, skips what is not begun, and is drained after the last acknowledgement', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0).reads(order('b'));
    executor.feed({ type: 'drain', until: 1_010_000 }).reads(order('c')).landed(1).ends('a').journaled('a');
    expect(executor.words()).toEqual(['AttemptSkipped b', 'AttemptSucceeded a']);
    expect(executor.of('drained')).toEqual([]);
    expect(executor.journaled('b').of('drained')).toHaveLength(1);
    expect(executor.position()).toBe(2);
  });

  it('tells calls to stop when its time is over', () => {
    const executor = Scenario.ready()
      .reads(order('a', { timeoutMs: 60_000 }))
      .landed(0);
    executor.feed({ type: 'drain', until: 1_001_000 }).live(1_000);
    expect(executor.of('abort-call')).toEqual([{ type: 'abort-call', attemptId: id('a'), reason: 'shutdown' }]);
  });

  it('without a parent begins nothing more and finishes what is under way', () => {
    const executor = Scenario.ready().reads(order('a')).landed(0).feed({ type: 'parent-lost' }).reads(pure('b'));
    expect(executor.ends('a', SUCCEEDED).journaled('a').of('drained')).toHaveLength(1);
    expect(executor.calls()).toEqual(['a']);
  });

  it('still finds out what became of a claim without an answer', () => {
    const executor = Scenario.ready().reads(order('a')).feed({ type: 'parent-lost' }).unanswered();
    expect(executor.claims()).toEqual([['a'], ['a']]);
    expect(executor.seesClaims(0, claimedBy('S0', 'a')).words()).toEqual(['AttemptSkipped a']);
  });
});
