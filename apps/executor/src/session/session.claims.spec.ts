import { claimedBy, closed, looked, order, Scenario } from './testing/scenario.js';

describe('claiming', () => {
  it('calls at once when the answer shows that nothing lies before its claim', () =>
    expect(Scenario.ready().reads(order('a')).landed(0).calls()).toEqual(['a']));

  it('does not call a second time when it reads its own claim afterwards', () =>
    expect(Scenario.ready().reads(order('a')).landed(0).seesClaims(0, claimedBy('S0', 'a')).calls()).toEqual(['a']));

  it('calls when what lay before its claim has been read', () => {
    const executor = Scenario.ready().reads(order('a')).landed(2);
    expect(executor.calls()).toEqual([]);
    expect(executor.seesClaims(0, looked, closed('b')).calls()).toEqual(['a']);
  });

  it('calls when it reads its claim before the answer to it', () =>
    expect(Scenario.ready().reads(order('a')).seesClaims(0, claimedBy('S0', 'a')).landed(0).calls()).toEqual(['a']));

  it('claims many attempts in one append, and what comes meanwhile in the next', () => {
    const executor = Scenario.ready().reads(order('a'), order('b')).reads(order('c'), order('d'));
    expect(executor.claims()).toEqual([['a', 'b']]);
    expect(executor.landed(0).claims()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('claims the next when a slot is free again', () => {
    const executor = Scenario.ready({}, { concurrency: 1 }).reads(order('a'), order('b')).landed(0);
    expect(executor.claims()).toEqual([['a']]);
    expect(executor.ends('a').claims()).toEqual([['a'], ['b']]);
  });

  it('says how long the call may last, and by when it had to begin', () => {
    const claim = Scenario.ready()
      .wait(7)
      .reads(order('a', { timeoutMs: 300 }))
      .lastAppend().claims[0];
    expect(claim).toEqual({
      attemptId: 'run-1/a/0',
      session: 'S0',
      deadline: 1_000_307,
      startBy: 1_060_000,
      argsHash: 'args of a',
    });
  });

  it('needs no repeat when it reads its unanswered claim', () => {
    const executor = Scenario.ready().reads(order('a')).seesClaims(0, claimedBy('S0', 'a')).unanswered();
    expect(executor.calls()).toEqual(['a']);
    expect(executor.claims()).toHaveLength(1);
  });

  it('goes by the deadline of its claim as it stands in the log', () => {
    const executor = Scenario.ready().reads(order('a')).unanswered();
    executor.seesClaims(0, claimedBy('S0', 'a', { deadline: 1_004_000 }));
    expect(executor.of('start-call')[0]?.deadline).toBe(1_004_000);
  });

  it('does not claim what it knows to be held or closed already', () => {
    const executor = Scenario.ready({}, { concurrency: 1 }).reads(order('x'), order('a'), order('b')).landed(2);
    executor.seesClaims(0, claimedBy('other', 'a'), closed('b')).ends('x');
    expect(executor.claims()).toEqual([['x']]);
    expect(executor.position()).toBe(3);
  });

  it('takes no claim of an earlier worker for its own', () => {
    const successor = new Scenario().opens('S1').beats().gainsSeat().reads(order('a')).landed(1);
    expect(successor.seesClaims(0, claimedBy('S0', 'a')).calls()).toEqual([]);
    expect(successor.words()).toEqual([]);
  });

  it('leaves alone what another session has claimed, and claims what is next', () => {
    const executor = Scenario.ready({}, { concurrency: 1 }).reads(order('a'), order('b')).landed(1);
    executor.seesClaims(0, claimedBy('other', 'a'));
    expect(executor.claims()).toEqual([['a'], ['b']]);
  });
});

describe('the range of claims', () => {
  it('reads from the first order on', () => {
    const executor = Scenario.ready().reads(order('a', { claimsFrom: 40 }));
    expect(executor.of('follow-claims').map(({ from }) => from)).toEqual([40]);
  });

  it('reads further down for an order that is older, and claims only then', () => {
    const executor = Scenario.ready({}, { concurrency: 9 })
      .reads(order('b', { claimsFrom: 5 }))
      .landed(5);
    executor.reads(order('a', { claimsFrom: 2 }));
    expect(executor.of('read-claims')).toEqual([
      { type: 'read-claims', queue: 'default', partition: 0, from: 2, to: 5 },
    ]);
    expect(executor.claims()).toEqual([['b']]);
    expect(executor.seesEarlierClaims(2, looked, looked, looked).landed(6).calls()).toEqual(['b', 'a']);
  });

  it('never runs, and never speaks of, an attempt part of whose claims are not kept any more', () => {
    const executor = Scenario.ready()
      .reads(order('b', { claimsFrom: 5 }))
      .landed(5)
      .reads(order('a', { claimsFrom: 2 }));
    executor.feed({ type: 'claims-lost', queue: 'default', partition: 0, start: 3 }).live(61_000);
    expect(executor.calls()).toEqual(['b']);
    expect(executor.words().filter((word) => word.endsWith(' a'))).toEqual([]);
    expect(executor.position()).toBe(2);
  });

  it('gives up what it has claimed when the claims that follow are lost', () => {
    const executor = Scenario.ready().reads(order('a')).landed(3);
    executor.feed({ type: 'claims-lost', queue: 'default', partition: 0, start: 2 });
    executor.reads(order('b', { claimsFrom: 4 })).landed(4);
    expect(executor.calls()).toEqual(['b']);
  });

  it('does not judge past a record that it cannot read', () => {
    const executor = Scenario.ready()
      .reads(order('a'), order('b', { claimsFrom: 1 }))
      .landed(1)
      .seesClaims(0, null);
    expect(executor.calls()).toEqual(['b']);
    expect(executor.words()).toEqual([]);
  });

  it('stops a partition whose records leave a hole', () => {
    const executor = Scenario.ready().reads(order('a')).landed(9).seesClaims(3, claimedBy('S0', 'a'));
    expect(executor.calls()).toEqual([]);
    expect(executor.of('partition-defect')).toHaveLength(1);
    expect(executor.reads(order('b')).claims()).toEqual([['a']]);
  });

  it.each(['S0', 'other'])('stops a partition where a claim of %s is read below claimsFrom', (session) => {
    const executor = Scenario.ready()
      .reads(order('b'), order('a', { claimsFrom: 7 }))
      .unanswered();
    executor.seesClaims(0, claimedBy(session, 'a'));
    expect(executor.calls()).toEqual([]);
    expect(executor.of('partition-defect')).toHaveLength(1);
  });

  it('stops a partition where a claim lands below what was read', () => {
    const executor = Scenario.ready().seesClaims(0).reads(order('a')).seesClaims(0, looked, looked);
    expect(executor.ends('a').of('partition-defect')).toHaveLength(0);
    executor.reads(order('b'));
    executor.landed(5).seesClaims(2, looked, looked, looked);
    expect(executor.landed(1).of('partition-defect')[0]?.detail).toContain('records are gone');
  });
});
