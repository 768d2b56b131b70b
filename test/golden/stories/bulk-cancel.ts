import type { FakeHistory } from '../../support/fake-history.js';
import { LaneHarness } from '../../support/lane-harness.js';
import { planOf, step } from '../../support/plans.js';

/** More runs are cancelled by their label than one batch cancels; one with another label goes on. */
export const tellBulkCancel = (): FakeHistory => {
  const lane = new LaneHarness().seat();
  for (let index = 0; index < 66; index += 1) {
    const labels = { team: index === 7 ? 'office' : 'shop' };
    lane.submit(planOf(step('a', 'pure')), { runId: `run-${index}`, labels });
  }
  lane.ask('CancelRuns', { lane: 0, labels: { team: 'shop' }, reason: 'the shop was sold' });
  return lane.history;
};
