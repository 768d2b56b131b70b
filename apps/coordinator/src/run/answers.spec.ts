import { LIMITS } from '@holdfast/events';
import { asking, dataOf, lastReply, node, question, swift } from '../../../../test/support/asking.js';
import { asked as asRequested, LaneHarness } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';

describe('an answer', () => {
  it('counts when it was given in time and is read late, also by another owner', () => {
    const former = asking({ withinMs: 10_000 });
    const seq = question(former);
    const at = former.clock.now + 9_999;
    former.clock.forward(60_000);
    const lane = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock });
    lane.readsRequests = false;
    lane.seat().tick(1);
    expect(lane.outputs.some(({ type }) => type === 'ReadRequests')).toBe(true);
    lane.tick(5_000).decides(seq, 'yes', { at }).give({ type: 'RequestsRead', at: lane.clock.now });
    expect(lane.told).not.toContain('EscalationExpired q');
    expect(dataOf(lane, 'RunEnded')).toMatchObject([{ reason: 'succeeded', output: 'yes' }]);
  });

  it('is waited for only until the requests are read to an end fetched after the time was over', () => {
    const lane = asking({ withinMs: 10_000 });
    lane.readsRequests = false;
    lane.give({ type: 'RequestsRead', at: lane.clock.now }).tick(60_000);
    expect(lane.told).not.toContain('EscalationExpired q');
    lane.give({ type: 'RequestsRead', at: lane.clock.now });
    expect(lane.told).toContain('EscalationExpired q');
  });

  it('is not waited for in vain: what a former term has read says nothing about this one', () => {
    const lane = asking({ withinMs: 10_000 });
    lane.give({ type: 'RequestsRead', at: lane.clock.now + 1_000_000 });
    lane.readsRequests = false;
    lane.unseat().seat().tick(60_000);
    expect(lane.told).not.toContain('EscalationExpired q');
  });

  it('that lies in the inbox counts before the silence does', () => {
    const lane = asking({ withinMs: 10_000 });
    const seq = question(lane);
    const at = lane.clock.now + 5_000;
    lane.readsRequests = false;
    lane.holdsAppends = true;
    lane.submit(planOf(step('z', 'pure')), { runId: 'run-2' });
    for (let index = 0; index < 300; index += 1) lane.decides(seq, 'perhaps', { at });
    lane.decides(seq, 'yes', { at }).tick(60_000);
    lane.give({ type: 'RequestsRead', at: lane.clock.now });
    while (lane.pending.length > 0) lane.answer();
    expect(lane.told).not.toContain('EscalationExpired q');
    expect(lane.run().end?.reason).toBe('succeeded');
  });

  it('that was given late is refused with the time that it had, before and after the question has expired', () => {
    const lane = asking({ withinMs: 1_000, onSilence: 'fail' });
    const seq = question(lane);
    lane.readsRequests = false;
    lane.tick(1_001).decides(seq, 'yes');
    expect(lastReply(lane)).toMatchObject({ outcome: 'refused', code: 'expired' });
    lane.tick(200).give({ type: 'RequestsRead', at: lane.clock.now }).decides(seq, 'yes');
    expect(lastReply(lane)).toMatchObject({ outcome: 'refused', code: 'expired' });
    expect(lastReply(lane)?.message).toContain(new Date(lane.clock.now - 201).toISOString());
  });

  it('to a question of a run that is cancelled or over is refused as such', () => {
    const plan = planOf(node(), step('a', 'verifiable'));
    const lane = new LaneHarness().seat().submit(plan).claims('run-1/a/0').cancel();
    const seq = question(lane);
    lane.decides(seq, 'yes');
    expect(lastReply(lane)).toMatchObject({
      code: 'run_cancelling',
      message: 'run run-1 is being cancelled: nothing begins any more',
    });
    lane.say('AttemptSucceeded').decides(seq, 'yes');
    expect(lastReply(lane)).toMatchObject({
      code: 'run_ended',
      message: 'nothing is asked about run run-1 (ended, cancelled)',
    });
    expect(lane.run().end?.reason).toBe('cancelled');
  });

  it('cannot end a cancelled run by its silence in place of the cancel', () => {
    const lane = new LaneHarness().seat().submit(planOf(node({ withinMs: 1_000 }), step('a', 'verifiable')));
    lane
      .claims('run-1/a/0', 'S', lane.clock.now + 50_000)
      .cancel('run-1', 20_000)
      .tick(5_000);
    expect(lane.told).not.toContain('EscalationExpired q');
    expect(lane.tick(15_000).run().end?.reason).toBe('cancelled');
  });

  it('has one winner; the other one learns who that was and when, also when the run is over by then', () => {
    const lane = asking();
    const seq = question(lane);
    const at = lane.clock.now;
    lane.decides(seq, 'yes', { principal: 'ann', at }).tick(2_000).decides(seq, 'no', { principal: 'bob' });
    expect(lastReply(lane)).toMatchObject({
      outcome: 'refused',
      code: 'already_answered',
      message: `question ${seq} (q) was answered yes by ann at ${new Date(at).toISOString()}`,
      details: { choice: 'yes', principal: 'ann', at },
    });
    lane.decides(seq, 'yes', { principal: 'ann' });
    expect(lastReply(lane)).toMatchObject({ outcome: 'unchanged' });
    expect(dataOf(lane, 'EscalationAnswered')).toHaveLength(1);
  });

  it('remembers the winners of the latest questions only, and says of an older one that it is not open', () => {
    const plan = planOf(
      { id: 'e', forEach: Array.from({ length: 80 }, () => 0), window: 1, steps: [node()] },
      step('a', 'pure'),
    );
    const lane = swift().submit(plan);
    const asked: number[] = [];
    for (let index = 0; index < 79; index += 1) {
      const [seq = -1] = Object.values(lane.questions());
      asked.push(seq);
      lane.decides(seq, 'yes');
    }
    expect(lane.live().closedQuestions).toHaveLength(LIMITS.answeredMax);
    lane.decides(asked[0] ?? -1, 'no', { principal: 'bob' });
    expect(lastReply(lane)).toMatchObject({ code: 'unknown_escalation' });
    lane.decides(asked.at(-1) ?? -1, 'no', { principal: 'bob' });
    expect(lastReply(lane)).toMatchObject({ code: 'already_answered' });
  });

  it('about a doubt that was settled meanwhile is told so', () => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'unprotected'), step('z', 'pure')));
    lane.claims('run-1/a/0').say('AttemptUnknown').tick(2_000);
    const seq = question(lane, 'a');
    lane.say('AttemptSucceeded').decides(seq, 'absent');
    expect(lastReply(lane)).toMatchObject({ code: 'no_longer_asked' });
  });

  it('names the question by its number: a step may ask more than once', () => {
    const lane = asking();
    const data = { requestId: 'by step', runId: 'run-1', stepId: 'q', choice: 'yes' };
    lane.arrive(asRequested(request('AnswerEscalation', data)));
    expect(lastReply(lane)).toMatchObject({ code: 'unknown_escalation' });
    expect(lastReply(lane)?.message).toContain(`${question(lane)} (q)`);
  });
});
