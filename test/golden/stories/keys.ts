import { DEFAULTS, type Concurrency } from '@holdfast/events';
import type { FakeHistory } from '../../support/fake-history.js';
import { planOf, step } from '../../support/plans.js';
import { SeveralLanes } from '../../support/several-lanes.js';

/** Runs that share keys, all on one lane: one waits, one is refused, one replaces another, one is over too early. */
export const tellKeys = (): FakeHistory => {
  const lanes = new SeveralLanes(1);
  const plan = planOf(step('a', 'verifiable'));
  const submit = (runId: string, policy: Concurrency['policy'], generation?: number) =>
    lanes.submit(plan, {
      runId,
      concurrency: { key: 'pr-7', policy },
      ...(generation === undefined ? {} : { generation }),
    });
  submit('first', 'queue').calm();
  submit('waits', 'queue', 3).calm();
  submit('joins', 'coalesce').calm();
  lanes.work('first').calm();
  submit('newer', 'cancel-older', 4).calm();
  lanes.at('waits').closed('waits/a/0');
  lanes.calm().work('newer').calm();
  // Over before its claim was read.
  submit('hasty', 'queue').cancel('hasty');
  while (lanes.tell(0));
  lanes.deliver(1).calm();
  lanes.tick(DEFAULTS.keyMemoryMs).calm();
  const [place] = lanes.places;
  if (place === undefined) throw new Error('there is no lane');
  return place.history;
};
