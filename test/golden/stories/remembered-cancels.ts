import { DEFAULTS } from '@holdfast/events';
import type { FakeHistory } from '../../support/fake-history.js';
import { LaneHarness } from '../../support/lane-harness.js';
import { planOf, step } from '../../support/plans.js';

/** Two cancels come before their run: one run comes in time, the other one never. */
export const tellRememberedCancels = (): FakeHistory => {
  const lane = new LaneHarness().seat();
  lane.cancel('comes', 100).cancel('never', 100);
  lane.submit(planOf(step('a', 'verifiable')), { runId: 'comes' });
  lane.tick(DEFAULTS.cancelMemoryMs);
  return lane.history;
};
