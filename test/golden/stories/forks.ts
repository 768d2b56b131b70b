import { forkSubmission } from '@holdfast/sdk';
import type { FakeHistory } from '../../support/fake-history.js';
import { request } from '../../support/messages.js';
import { forEach, planOf, step } from '../../support/plans.js';
import { SeveralLanes } from '../../support/several-lanes.js';

/** A run that fails, one that takes over what it has done, and one that does a named effect once more. */
export const tellForks = (): FakeHistory => {
  const lanes = new SeveralLanes(1);
  const write = step('write', 'verifiable', { after: ['read'] });
  const files = forEach('file', ['x', 'y'], step('read', 'pure'), write);
  lanes.submit(planOf(files, step('last', 'verifiable', { after: ['file'] })), { runId: 'old' }).calm();
  lanes.work('old').calm().work('old').calm().say('old', 'AttemptFailed', { retry: 'never', effect: 'none' }).calm();
  const [place] = lanes.places;
  if (place === undefined) throw new Error('there is no lane');
  const records = lanes
    .at('old')
    .events()
    .filter(({ subject }) => subject === 'old');
  for (const wish of [{ runId: 'rest' }, { runId: 'again', from: 'file[1].write', repeat: ['file[*].write'] }]) {
    const submission = forkSubmission('old', records, wish);
    lanes
      .ask(request('SubmitRun', { ...submission, requestId: wish.runId }))
      .calm()
      .work(wish.runId)
      .calm();
    lanes.work(wish.runId).calm();
  }
  return place.history;
};
