import { effectBlockedBy } from './attempt.call.js';
import { timeToActBy } from './lease.js';
import type { Attempt } from './session.state.js';
import { claimedBy, id, order, pure, Scenario, SUCCEEDED } from './testing/scenario.js';

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
