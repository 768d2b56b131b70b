import { emptyShared, LIMITS, withEntry, type RememberedCancel, type Shared } from '@holdfast/events';
import { T0 } from '../../../../test/support/clock.js';
import { request } from '../../../../test/support/messages.js';
import { envOf } from '../../../../test/support/specification.js';
import { decideCancel } from './cancel.decide.js';
import { draftOf, laneDraftOf } from './draft.js';

const kept = (runId: string): RememberedCancel => ({
  runId,
  requestId: runId,
  principal: null,
  reason: '',
  withinMs: 1_000,
  mode: 'abort',
  until: T0 + 1_000,
});

const sharedWith = (count: number): Shared => {
  let { cancels } = emptyShared;
  for (let index = 0; index < count; index += 1) cancels = withEntry(cancels, `r${index}`, kept(`r${index}`), T0);
  return { ...emptyShared, cancels };
};

describe('a cancel of a run that is not there', () => {
  it.each([
    [LIMITS.cancelsRememberedMax - 1, 1, []],
    [LIMITS.cancelsRememberedMax, 0, [{ outcome: 'refused', code: 'too_many' }]],
  ])('is kept beside %d others by %d events; one too many may be asked again', (count, events, replies) => {
    const draft = draftOf('late', undefined, laneDraftOf(0, sharedWith(count)));
    decideCancel(draft, request('CancelRun', { requestId: 'q', runId: 'late' }), envOf());
    expect(draft.lane.batch).toHaveLength(events);
    expect(draft.replies).toMatchObject(replies);
  });
});
