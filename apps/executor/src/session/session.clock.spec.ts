import { effectBlockedBy } from './attempt.call.js';
import { timeToActBy } from './lease.js';
import type { Attempt } from './session.state.js';
import { claimedBy, id, order, Scenario } from './testing/scenario.js';

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
