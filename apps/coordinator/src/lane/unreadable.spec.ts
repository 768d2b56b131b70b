import { LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { planOf, runOf, step } from '../../../../test/support/plans.js';
import { allTools, catalogueOf, tool } from '../../../../test/support/tools.js';

const plan = planOf(step('a', 'verifiable'));

describe('an event that could not be read back from history', () => {
  it('is not written: the request that would lead to it is refused, and others go on', () => {
    const lane = new LaneHarness().seat();
    lane.catalogue = catalogueOf(tool('verifiable', { timeoutMs: 0.5 }), tool('pure'));
    lane.submit(plan).submit(planOf(step('a', 'pure')), { runId: 'run-2' });
    expect(lane.replies).toEqual(['submit run-1: undecidable', 'submit run-2: accepted']);
    expect([lane.stopped, lane.told.filter((type) => type === 'RunAccepted').length]).toEqual([null, 1]);
  });

  it('is not written: the run that would lead to it is left alone, and others go on', () => {
    const lane = new LaneHarness().seat();
    lane.queues = {
      default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0.5, tools: new Set(allTools.keys()) }] }),
    };
    lane.submit(plan).submit(planOf(runOf('a', plan)), { runId: 'run-2' });
    expect([...lane.machine.broken]).toEqual([['run-1', expect.stringContaining('StepScheduled could not be read')]]);
    expect([lane.stopped, lane.told.includes('ChildStarted a')]).toEqual([null, true]);
  });
});
