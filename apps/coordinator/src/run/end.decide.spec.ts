import type { RunEvent } from '@holdfast/events';
import { T0 } from '../../../../test/support/clock.js';
import { closed, goesOn, judges, says } from '../../../../test/support/deciding.js';
import { request } from '../../../../test/support/messages.js';
import { accepted, doubtful, happened, held, running } from '../../../../test/support/run-events.js';
import { envOf, given } from '../../../../test/support/specification.js';
import { decideCancel } from './cancel.decide.js';
import type { RunDraft } from './draft.js';
import { sayAmended } from './report.js';

describe('cancelling a run', () => {
  const cancel = (draft: RunDraft) =>
    decideCancel(draft, request('CancelRun', { requestId: 'cancel', runId: 'run-1' }), envOf());

  it('schedules nothing after the request', () =>
    given(accepted('verifiable'))
      .when((draft) => {
        cancel(draft);
        goesOn()(draft);
      })
      .thenHappened('CancelRequested', 'RunEnded'));

  it('ends at once when nobody can act any more', () =>
    given(...running('verifiable'), happened('CancelRequested'))
      .when(goesOn({ firsts: closed }))
      .thenHappened('AttemptClosed', 'RunEnded'));

  it('waits for what is held, but not beyond its deadline', () => {
    const cancelled = [...held('verifiable'), happened('CancelRequested')];
    given(...cancelled)
      .when(goesOn())
      .thenNothing();
    given(...cancelled, happened('DoubtOpened'))
      .when(goesOn({ now: T0 + 5_000 }))
      .thenHappened('RunEnded');
  });

  it('makes no call to settle a doubt', () =>
    given(...doubtful('keyed'), happened('CancelRequested'))
      .when(goesOn())
      .thenNothing());

  it('again changes nothing, and says so', () =>
    given(...held('verifiable'), happened('CancelRequested'))
      .when(cancel)
      .thenAnswered({ outcome: 'unchanged' }));
});

describe('a run that has ended', () => {
  const ended =
    (...more: readonly RunEvent[]) =>
    (act: (draft: RunDraft) => void) =>
      given(...more, happened('CancelRequested', { deadlineAt: T0 })).when((draft) => {
        goesOn({ now: T0 })(draft);
        act(draft);
      });

  it('goes on settling what was in doubt, and amends its report', () =>
    ended(...doubtful('verifiable'))(judges(3, 'applied')).thenHappened(
      'RunEnded',
      'DoubtSettled',
      'StepSucceeded',
      'ReportAmended',
    ));

  it('takes the late outcome of an attempt that was still held', () =>
    ended(...held('verifiable'))(says('AttemptSucceeded')).thenHappened('RunEnded', 'StepSucceeded', 'ReportAmended'));

  it('closes what nobody holds, and says so once', () =>
    ended(...running('verifiable'))(goesOn({ firsts: closed })).thenHappened(
      'RunEnded',
      'AttemptClosed',
      'ReportAmended',
    ));

  it('keeps nothing but its end once all is settled', () => {
    const settled = (draft: RunDraft) => {
      says('AttemptSkipped')(draft);
      sayAmended(draft, envOf());
      expect(draft.run).toMatchObject({ status: 'ended', end: { reason: 'cancelled' } });
    };
    ended(...doubtful('verifiable'))(settled).thenHappened(
      'RunEnded',
      'AttemptSkipped',
      'DoubtSettled',
      'ReportAmended',
    );
  });
});
