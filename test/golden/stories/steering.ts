import type { FakeHistory } from '../../support/fake-history.js';
import { LaneHarness } from '../../support/lane-harness.js';
import { forEach, planOf, step } from '../../support/plans.js';

/** A run is paused, steered and resumed; another one is killed with a call under way. */
export const tellSteering = (): FakeHistory => {
  const lane = new LaneHarness().seat();
  const each = { ...forEach('each', [1, 2, 3], step('a', 'verifiable')), window: 1 };
  const about = { runId: 'steered', reason: 'the office is closed' };
  lane.submit(planOf(each), { runId: 'steered' });
  lane.ask('PauseRun', about);
  lane.closed('steered/each[0].a/0');
  lane.ask('SteerRun', { ...about, deadlineMs: 60_000, windows: { each: 2 } });
  lane.ask('ResumeRun', { runId: 'steered' });
  lane.submit(planOf(step('a', 'verifiable')), { runId: 'killed' }).claims('killed/a/0', 'S1');
  lane.ask('KillRun', { runId: 'killed', reason: 'calls the wrong door' });
  lane.say('AttemptSucceeded', { runId: 'killed', session: 'S1' });
  return lane.history;
};
