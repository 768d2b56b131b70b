import { DEFAULTS } from '@holdfast/events';
import type { FakeHistory } from '../../support/fake-history.js';
import { asked, LaneHarness } from '../../support/lane-harness.js';
import { heard, request } from '../../support/messages.js';
import { planOf, step } from '../../support/plans.js';

/** Two runs of a tenant whose budget is enough for one of them; tenant and runs are on one lane. */
export const tellTenants = (): FakeHistory => {
  const lane = new LaneHarness().seat();
  const data = { requestId: 'set', runId: 'tenant/acme', tenant: 'acme', budget: { effects: 1 } };
  lane.arrive(asked(request('SetTenantBudget', data)));
  for (const runId of ['first', 'second']) lane.submit(planOf(step('a', 'verifiable')), { runId, tenant: 'acme' });
  pass(lane);
  lane.claims('first/a/0').say('AttemptSucceeded', { runId: 'first' });
  pass(lane);
  lane.tick(2 * DEFAULTS.grantMemoryMs);
  return lane.history;
};

/** What the lane asks itself arrives. */
const pass = (lane: LaneHarness): void => {
  for (let told = 0; told < lane.reactions.length; told += 1) {
    const [reaction] = lane.reactions.splice(told, 1);
    if (reaction?.kind !== 'request') {
      if (reaction !== undefined) lane.reactions.splice(told, 0, reaction);
      continue;
    }
    told -= 1;
    lane.arrive(asked(heard(reaction.request), lane.clock.now));
  }
};
