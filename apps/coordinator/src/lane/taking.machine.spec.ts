import { LaneHarness } from '../../../../test/support/lane-harness.js';
import { one, planOf, step } from '../../../../test/support/plans.js';

describe('taking a lane', () => {
  it('tries again when a late batch of the former owner came first', () => {
    const former = new LaneHarness().seat();
    const next = new LaneHarness({ owner: 'C2', history: former.history });
    next.holdsAppends = true;
    next.seat();
    former.submit(one('pure'));
    next.answer().answer();
    expect(next.machine.phase).toBe('leading');
    expect(next.machine.lane.epoch).toBe(2);
  });

  it('ends the office of the former owner, whose inputs are dropped and followed again from history', () => {
    const former = new LaneHarness().seat().submit(one('verifiable'));
    new LaneHarness({ owner: 'C2', history: former.history }).seat();
    former.holdsAppends = true;
    former.say('AttemptStarted').cancel();
    const term = former.machine.term;
    former.answer();
    expect(former.machine.phase).toBe('acquiring');
    expect(former.machine.term).toBeGreaterThan(term);
    expect(former.machine.inbox).toEqual([]);
    former.answer();
    const follow = former.outputs.findLast((output) => output.type === 'FollowInputs');
    expect(follow).toMatchObject({ positions: { requests: 1 } });
  });

  it('survives a record that asked for the same epoch at another moment and lands late', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat();
    const late = lane.pending[0]?.values ?? [];
    lane.unseat().tick(5);
    lane.seat();
    lane.pending.shift();
    lane.answer();
    expect(lane.machine.phase).toBe('leading');
    lane.history.append(late);
    lane.submit(one('pure')).answer();
    expect(lane.stopped).toBeNull();
    expect(lane.commands).toEqual(['run-1/a/0']);
  });

  it('ignores the answer to a read that was given up', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat();
    lane.give({ type: 'HistoryRead', records: [], next: 0, end: 0 });
    expect(lane.pending).toHaveLength(1);
  });

  it('derives closes and watches again', () => {
    const former = new LaneHarness().seat().submit(one('verifiable')).cancel();
    expect(former.closes).toEqual(['run-1/a/0']);
    const next = new LaneHarness({ owner: 'C2', history: former.history }).seat();
    expect(next.closes).toEqual(['run-1/a/0']);
    expect([...next.watched]).toEqual(['run-1/a/0']);
  });

  it('publishes commands only for attempts that are still open', () => {
    const former = new LaneHarness();
    former.reacts = false;
    former
      .seat()
      .submit(planOf(step('a', 'pure'), step('b', 'pure')))
      .say('AttemptSucceeded');
    const next = new LaneHarness({ owner: 'C2', history: former.history }).seat();
    expect(next.commands).toEqual(['run-1/b/0']);
  });
});
