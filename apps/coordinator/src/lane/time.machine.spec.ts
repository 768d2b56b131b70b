import { LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { forEach, one, planOf, step } from '../../../../test/support/plans.js';

describe('time', () => {
  it('is not missed while a batch is under way', () => {
    const retry = { backoffMs: 1, triesMax: 3 };
    const lane = new LaneHarness()
      .seat()
      .submit(planOf(step('a', 'verifiable', { retry })))
      .claims('run-1/a/0');
    lane.holdsAppends = true;
    lane.say('AttemptFailed');
    lane.clock.forward(50);
    lane.answer();
    lane.holdsAppends = false;
    lane.tick();
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
  });

  it('is not missed when something else is looked at first', () => {
    const retry = { backoffMs: 10, triesMax: 3 };
    const plan = planOf(step('a', 'verifiable', { retry }), step('b', 'verifiable'));
    const lane = new LaneHarness().seat().submit(plan).claims('run-1/a/0').say('AttemptFailed');
    lane.clock.forward(50);
    lane.say('AttemptRefused', { step: 'b' }).tick();
    expect(lane.commands).toContain('run-1/a/1');
  });

  it('ends a cancelled run at its deadline, however short', () => {
    const lane = new LaneHarness().seat().submit(one('verifiable')).claims('run-1/a/0');
    lane.holdsAppends = true;
    lane.cancel('run-1', 1);
    lane.clock.forward(20);
    lane.answer();
    lane.holdsAppends = false;
    lane.tick();
    expect(lane.told).toContain('RunEnded');
  });

  it('ends a cancelled run early enough that its end is history by its deadline', () => {
    const lane = new LaneHarness({ settings: { endLeadMs: 250 } }).seat().submit(one('verifiable'));
    lane.claims('run-1/a/0').cancel('run-1', 1_000).tick(740);
    expect(lane.told).not.toContain('RunEnded');
    lane.holdsAppends = true;
    lane.tick(10).clock.forward(200);
    lane.answer();
    expect(lane.live()).toMatchObject({ end: { reason: 'cancelled' }, cancel: { deadlineAt: lane.clock.now + 50 } });
  });

  it('writes positions without consequence now and then, not at once', () => {
    const lane = new LaneHarness().seat().submit(one('verifiable'));
    const before = lane.history.values.length;
    lane.say('AttemptStarted').say('AttemptStarted');
    expect(lane.history.values).toHaveLength(before);
    lane.tick(5_000);
    expect(lane.machine.lane.positions).toMatchObject({ journal: 2 });
    expect(lane.machine.inbox).toEqual([]);
  });
});

describe('waiting', () => {
  it('is said once for all that nobody serves', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ partitions: [] }) };
    lane.seat().submit(planOf(step('a', 'pure'), step('b', 'verifiable')));
    for (let round = 0; round < 5; round += 1) lane.tick(100).say('AttemptStarted');
    expect(lane.told.filter((name) => name === 'RunWaiting')).toHaveLength(1);
    expect(lane.live().waiting?.waitingFor).toContain('pure@1');
    expect(lane.live().waiting?.waitingFor).toContain('verifiable@1');
    lane.queues = { default: queueOf() };
    lane.tick(100);
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/b/0']);
  });

  it('keeps what is out per queue at its share, and goes on as places become free', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ slots: 1 }) };
    lane.seat().submit(planOf(forEach('each', [1, 2, 3, 4], step('a', 'pure'))));
    expect(lane.commands).toHaveLength(2);
    lane.say('AttemptSucceeded', { step: 'each[0].a' });
    expect(lane.commands).toHaveLength(3);
  });

  it('does not keep a small run behind a large one', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ slots: 1 }) };
    const items = Array.from({ length: 30 }, (_, index) => index);
    lane.seat().submit(planOf(forEach('each', items, step('a', 'pure'))), { runId: 'large' });
    lane.submit(one('pure'), { runId: 'small' });
    lane.say('AttemptSucceeded', { runId: 'large', step: 'each[0].a' });
    lane.say('AttemptSucceeded', { runId: 'large', step: 'each[1].a' });
    expect(lane.commands).toContain('small/a/0');
  });
});
