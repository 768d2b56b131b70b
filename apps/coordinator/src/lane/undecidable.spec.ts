import { asked, LaneHarness } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';

/** No decision can be made with these: they stand for a defect of the runtime. */
const impossibleUse = { used: { 'money:EUR': 'no amount' } };
const impossibleEvidence = { evidence: null as never };

const two = () => {
  const plan = planOf(step('a', 'verifiable'));
  return new LaneHarness().seat().submit(plan).submit(plan, { runId: 'run-2' });
};
const works = (lane: LaneHarness) => {
  lane.claims('run-2/a/0').say('AttemptSucceeded', { runId: 'run-2' });
  return [lane.stopped, lane.run('run-2').end?.reason, [...lane.machine.broken.keys()]];
};

describe('a word about which no decision can be made', () => {
  it('breaks its run, loudly, and no other one', () => {
    const lane = two().claims('run-1/a/0').say('AttemptSucceeded', {}, impossibleUse);
    expect(works(lane)).toEqual([null, 'succeeded', ['run-1']]);
    expect(lane.machine.broken.get('run-1')).toContain('StepSucceeded could not be read back');
    expect(lane.told).not.toContain('StepSucceeded a/0');
  });

  it('does so as a verdict too', () => {
    const lane = two().claims('run-1/a/0').say('AttemptUnknown').tick(2_000);
    lane.judge(lane.doubtSeq(), 'applied', impossibleEvidence);
    expect(works(lane)).toEqual([null, 'succeeded', ['run-1']]);
  });

  it('is passed: whoever takes the lane over finds out what became of the call', () => {
    const lane = two().claims('run-1/a/0').say('AttemptSucceeded', {}, impossibleUse);
    const next = new LaneHarness({ owner: 'C2', history: lane.history, clock: lane.clock }).seat();
    next.claims('run-1/a/0', 'S', lane.clock.now).tick(2_000);
    expect([next.stopped, next.live().steps[0]?.doubt?.cause]).toEqual([null, 'deadline_passed']);
  });

  it('takes back nothing but its own decision', () => {
    const lane = two().claims('run-1/a/0');
    lane.holdsAppends = true;
    lane.tick(5_000);
    lane.say('AttemptSucceeded', {}, impossibleUse);
    lane.arrive(asked(request('CancelRun', { requestId: 'c', runId: 'run-1' })));
    while (lane.pending.length > 0) lane.answer();
    expect([lane.stopped, lane.live().status, lane.replies.at(-1)]).toEqual([null, 'cancelling', 'c: accepted']);
  });
});
