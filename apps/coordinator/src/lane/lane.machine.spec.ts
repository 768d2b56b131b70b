import { LaneHarness, validRecords } from '../../../../test/support/lane-harness.js';
import { planOf, step } from '../../../../test/support/plans.js';

describe('a run on a lane', () => {
  it('goes from its submission to its end', () => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'verifiable'), step('b', 'pure', { after: ['a'] })));
    expect(lane.commands).toEqual(['run-1/a/0']);
    lane.claims('run-1/a/0').say('AttemptSucceeded');
    lane.say('AttemptSucceeded', { step: 'b' });
    expect(lane.told).toEqual([
      'LaneAcquired',
      'RunAccepted',
      'StepScheduled a',
      'LaneAdvanced',
      'StepSucceeded a',
      'StepScheduled b',
      'LaneAdvanced',
      'StepSucceeded b',
      'RunEnded',
      'LaneAdvanced',
    ]);
    expect(lane.run().status).toBe('ended');
    expect(lane.stopped).toBeNull();
    expect(validRecords(lane.history).lane).toEqual(lane.machine.lane);
  });
});
