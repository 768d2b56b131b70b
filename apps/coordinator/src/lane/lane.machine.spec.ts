import { DEFAULTS } from '@holdfast/events';
import { T0 } from '../../../../test/support/clock.js';
import { asked, LaneHarness } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { one, planOf, step } from '../../../../test/support/plans.js';

describe('a run on a lane', () => {
  it('goes from its submission to its end', () => {
    const plan = planOf(step('a', 'verifiable'), step('b', 'pure', { after: ['a'] }));
    const lane = new LaneHarness().seat().submit(plan);
    expect(lane.commands).toEqual(['run-1/a/0']);
    lane.claims('run-1/a/0').say('AttemptSucceeded').say('AttemptSucceeded', { step: 'b' });
    expect(lane.told.filter((name) => name !== 'LaneAdvanced')).toEqual([
      'LaneAcquired',
      'RunAccepted',
      'StepScheduled a',
      'StepSucceeded a',
      'StepScheduled b',
      'StepSucceeded b',
      'RunEnded',
    ]);
    expect(lane.run().status).toBe('ended');
  });
});

describe('inputs without consequence', () => {
  it('hold nothing up that comes behind them, however large they are', () => {
    const pass = (next: number, bytes: number) => ({ topic: 'journal', next, bytes, work: { kind: 'pass' } }) as const;
    const lane = new LaneHarness().seat();
    lane.give({ type: 'Arrived', term: lane.machine.term, arrivals: [pass(1, 10), pass(2, 1_000_000), pass(3, 10)] });
    lane.submit(one('pure'));
    expect(lane.told).toContain('RunAccepted');
    expect(lane.machine.inbox).toEqual([]);
  });
});

describe('a request', () => {
  it('that comes again is answered again and changes nothing', () => {
    const lane = new LaneHarness().seat().submit(one('pure')).submit(one('pure'));
    expect(lane.replies).toEqual(['submit run-1: accepted', 'submit run-1: accepted']);
    expect(lane.told.filter((name) => name === 'RunAccepted')).toHaveLength(1);
  });

  it('is known within its run: another run may use the same request id', () => {
    const lane = new LaneHarness().seat();
    lane.submit(one('pure'), { requestId: 'r' }).submit(one('pure'), { requestId: 'r', runId: 'run-2' });
    expect(lane.told.filter((name) => name === 'RunAccepted')).toHaveLength(2);
  });

  it('under an id that was used for something else is refused, never taken for a repeat', () => {
    const lane = new LaneHarness().seat().submit(one('verifiable'), { requestId: 'r' });
    lane.arrive(asked(request('CancelRun', { requestId: 'r', runId: 'run-1' })));
    expect(lane.replies).toEqual(['r: accepted', 'r: invalid_request']);
  });

  it('that was kept for a run to come is answered by what came of it', () => {
    const lane = new LaneHarness().seat().cancel('late').cancel('late').tick(DEFAULTS.cancelMemoryMs).cancel('late');
    const [kept, over] = ['cancel late: remembered', 'cancel late: unknown_run'];
    expect(lane.replies).toEqual([kept, kept, over, over]);
  });

  it('older than requests are remembered is refused', () => {
    const lane = new LaneHarness().seat();
    const late = request('SubmitRun', { requestId: 'r', runId: 'run-1', program: one('pure') });
    lane.arrive(asked(late, T0 - 8 * 86_400_000));
    expect(lane.replies).toEqual(['r: too_old']);
  });

  it('for a run id that belongs to another run is refused', () => {
    const lane = new LaneHarness().seat().submit(one('pure')).submit(one('verifiable'), { requestId: 'other' });
    expect(lane.replies).toEqual(['submit run-1: accepted', 'other: run_id_taken']);
  });

  it('larger than one decision is refused', () => {
    const lane = new LaneHarness().seat().submit(one('pure'), { input: { text: 'x'.repeat(300_000) } });
    lane.submit(planOf(step('a', 'pure', { args: { text: 'x'.repeat(600_000) } })), { runId: 'run-2' });
    expect(lane.replies).toEqual(['submit run-1: too_large', 'submit run-2: too_large']);
  });
});

describe('a lane that serves many runs', () => {
  it('remembers of settled runs only that they were there', () => {
    const lane = new LaneHarness();
    lane.proves = false;
    lane.seat();
    for (let index = 0; index < 200; index += 1) {
      const runId = `run-${index}`;
      lane.submit(one('verifiable'), { runId }).claims(`${runId}/a/0`).say('AttemptRefused', { runId });
      lane.say('AttemptSucceeded', { runId }).say('AttemptRefused', { runId });
    }
    const { live, dirty, starved, firsts, refused, closing, unreacted, outstanding, inbox } = lane.machine;
    expect([live, dirty, starved, firsts, refused, closing, outstanding].map(({ size }) => size)).toEqual(
      Array.from({ length: 7 }, () => 0),
    );
    expect(unreacted).toEqual([]);
    expect(inbox.length).toBeLessThan(300);
    expect(lane.watched.size).toBe(0);
  });
});
