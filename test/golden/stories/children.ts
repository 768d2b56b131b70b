import { DEFAULTS } from '@holdfast/events';
import type { FakeHistory } from '../../support/fake-history.js';
import { planOf, runOf, step } from '../../support/plans.js';
import { SeveralLanes } from '../../support/several-lanes.js';

/** Runs that begin runs, all on one lane: one succeeds, one is left, one is attached to, one is refused, one is stopped. */
export const tellChildren = (): FakeHistory => {
  const lanes = new SeveralLanes(1);
  const inner = planOf(step('x', 'verifiable'));
  lanes.submit(planOf(runOf('a', inner), { ...runOf('b', inner, { runId: 'p~a' }) }), { runId: 'p' }).calm();
  lanes.work('p~a').calm();
  lanes.submit(planOf(runOf('a', inner, { waitMs: 100 })), { runId: 'left' }).calm();
  lanes.tick(100).calm().work('left~a').calm();
  lanes.submit(planOf(runOf('a', inner)), { runId: 'taken~a' });
  lanes.submit(planOf(runOf('a', inner)), { runId: 'taken' }).calm();
  lanes.submit(planOf(runOf('a', inner)), { runId: 'stopped' }).calm();
  lanes.cancel('stopped').calm().tick(1_000).calm();
  lanes.tick(DEFAULTS.cancelMemoryMs).calm();
  const [place] = lanes.places;
  if (place === undefined) throw new Error('there is no lane');
  return place.history;
};
