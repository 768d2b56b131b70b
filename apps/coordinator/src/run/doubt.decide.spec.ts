import { T0 } from '../../../../test/support/clock.js';
import { claimed, closed, goesOn, judges, lost, says } from '../../../../test/support/deciding.js';
import { request } from '../../../../test/support/messages.js';
import { doubtful, happened, running, scheduled } from '../../../../test/support/run-events.js';
import { envOf, given } from '../../../../test/support/specification.js';
import { decideAnswer } from './answer.decide.js';
import type { RunDraft } from './draft.js';

describe('who holds an attempt', () => {
  it('nobody, when closed is the first claim: it is scheduled again, and no try was used', () =>
    given(...running('verifiable'))
      .when((draft) => {
        goesOn({ firsts: closed, now: T0 + 10_000 })(draft);
        expect(draft.run).toMatchObject({ steps: [{ tries: 0, nextAttempt: 2 }] });
      })
      .thenHappened('AttemptClosed', 'StepScheduled'));

  it('a session that is gone: the attempt is in doubt', () =>
    given(...running('verifiable'))
      .when(goesOn({ firsts: claimed, lost }))
      .thenHappened('AttemptHeld', 'DoubtOpened'));

  it('a living session is waited for until its deadline and grace', () => {
    given(...running('verifiable'))
      .when(goesOn({ firsts: claimed, now: T0 + 1_100 }))
      .thenNothing();
    given(...running('verifiable'))
      .when(goesOn({ firsts: claimed, now: T0 + 1_200 }))
      .thenHappened('AttemptHeld', 'DoubtOpened');
  });

  it('unreadable claims are never taken for absent', () =>
    given(...running('verifiable'))
      .when(goesOn({ firsts: new Map([['run-1/a/0', { kind: 'unreadable' }]]) }))
      .thenRecorded(
        happened('DoubtOpened', {
          cause: 'claims_unreadable',
          session: null,
          deadline: T0 + 11_000,
          settledAt: T0 + 11_500,
          settleBy: T0 + 71_500,
          death: false,
        }),
      ));
});

describe('a doubt', () => {
  it('about a repeatable step is settled by running it again, in the same batch', () =>
    given(...running('repeatable'))
      .when(goesOn({ firsts: claimed, lost }))
      .thenHappened('AttemptHeld', 'DoubtOpened', 'DoubtSettled', 'StepScheduled'));

  it('about a keyed step is settled by a call with the same key', () =>
    given(...doubtful('keyed'))
      .when((draft) => {
        goesOn()(draft);
        expect(draft.events[0]?.event.data).toMatchObject({ settling: true, attempt: 1, key: '0123456789abcdef/a' });
      })
      .thenHappened('StepScheduled'));

  it('about a keyed step wakes nobody while a call can settle it, even if nobody is there to make it', () =>
    given(...doubtful('keyed'))
      .when(goesOn({ now: T0 + 100_000, fleet: { queues: {} } }))
      .thenHappened('RunWaiting'));

  const settling = () => scheduled('keyed', 1, { settling: true });

  it('goes on when the attempt that should settle it was closed', () =>
    given(...doubtful('keyed'), settling())
      .when(goesOn({ firsts: new Map([['run-1/a/1', { kind: 'closed', offset: 4 }]]), now: T0 + 10_000 }))
      .thenHappened('AttemptClosed', 'StepScheduled'));

  it('is not settled by an absent while an attempt of the step is open', () =>
    given(...doubtful('keyed'), settling())
      .when(judges(3, 'absent', { askedAt: T0 + 5_000 }))
      .thenNothing());

  it('names an attempt that may still have acted when the latest one has not', () =>
    given(
      ...doubtful('keyed'),
      settling(),
      happened('AttemptHeld', { attempt: 1, session: 'S2' }),
      happened('DoubtOpened', { attempt: 1, session: 'S2' }),
    )
      .when((draft) => {
        says('AttemptSkipped', { attempt: 1, session: 'S2' })(draft);
        expect(draft.run).toMatchObject({ steps: [{ doubt: { attempt: 0 } }] });
      })
      .thenHappened('AttemptSkipped'));

  it('is over when all attempts say that they did not act', () =>
    given(...doubtful('verifiable'))
      .when(says('AttemptSkipped'))
      .thenHappened('AttemptSkipped', 'DoubtSettled', 'BackoffStarted'));

  it('about an unprotected step is put to a person once nothing can land any more', () => {
    given(...doubtful('unprotected'))
      .when(goesOn({ now: T0 + 1_499 }))
      .thenNothing();
    given(...doubtful('unprotected'))
      .when(goesOn({ now: T0 + 1_500 }))
      .thenHappened('EscalationOpened');
  });

  it('about a verifiable step is put to a person when the reconciler is missing', () =>
    given(...doubtful('verifiable'))
      .when(goesOn({ now: T0 + 61_500 }))
      .thenHappened('EscalationOpened'));

  it('is recorded as asked about once per probe, however often it is said', () => {
    const twice = (draft: RunDraft) => {
      judges(3, 'unknown', { probe: 1 })(draft);
      judges(3, 'unknown', { probe: 1 })(draft);
    };
    given(...doubtful('verifiable'))
      .when(twice)
      .thenHappened('ProbeRecorded');
  });
});

describe("a person's answer", () => {
  const asked =
    (now: number, more: object = {}) =>
    (draft: RunDraft) => {
      const data = { requestId: 'answer', runId: 'run-1', stepId: 'a', choice: 'absent' as const, ...more };
      decideAnswer(draft, { request: request('AnswerEscalation', data), at: now }, envOf({ now }));
    };
  const open = (draft: RunDraft) => goesOn({ now: T0 + 1_500 })(draft);

  it('"absent" counts only when it was looked at after the settle window, whatever their clock says', () =>
    given(...doubtful('verifiable'))
      .when((draft) => {
        goesOn({ now: T0 + 61_500 })(draft);
        asked(T0 + 1_400, { lookedAt: T0 + 99_000_000 })(draft);
        expect(draft.replies).toMatchObject([{ code: 'too_early' }]);
      })
      .thenHappened('EscalationOpened'));

  it('"applied" ends the step with the result that they found', () =>
    given(...doubtful('unprotected'))
      .when((draft) => {
        open(draft);
        asked(T0 + 2_000, { choice: 'applied', result: 'seen' })(draft);
        expect(draft.events.at(-1)?.event.data).toMatchObject({ by: 'person', result: 'seen' });
      })
      .thenHappened('EscalationOpened', 'EscalationAnswered', 'DoubtSettled', 'StepSucceeded'));

  it('to a question that is not open is refused', () =>
    given(...doubtful('verifiable'))
      .when(asked(T0 + 2_000))
      .thenAnswered({ code: 'unknown_escalation' }));
});
