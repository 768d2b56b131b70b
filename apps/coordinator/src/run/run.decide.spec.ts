import type { RunEvent } from '@holdfast/events';
import { T0 } from '../../../../test/support/clock.js';
import { request, verdict, word } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { accepted, happened, scheduled } from '../../../../test/support/run-events.js';
import { envOf, given } from '../../../../test/support/specification.js';
import { decideAnswer } from './answer.decide.js';
import { advanceRun } from './advance.decide.js';
import { decideCancel } from './cancel.decide.js';
import type { RunDraft } from './draft.js';
import type { Env } from './env.js';
import { decideJournal } from './journal.decide.js';
import { decideVerdict } from './verdict.decide.js';

const says =
  (...args: Parameters<typeof word>) =>
  (draft: RunDraft) =>
    decideJournal(draft, word(...args), envOf());

const judges =
  (...args: Parameters<typeof verdict>) =>
  (draft: RunDraft) =>
    decideVerdict(draft, verdict(...args), envOf({ now: T0 + 9_000 }));

const goesOn =
  (more: Partial<Env> = {}) =>
  (draft: RunDraft) =>
    advanceRun(draft, envOf(more), budget());
const budget = () => ({ room: new Map([['default', 9]]), steps: 9, spread: 0, starved: false, more: false });

const closed = new Map([['run-1/a/0', { kind: 'closed', offset: 3 } as const]]);
const claimed = new Map([['run-1/a/0', { kind: 'claimed', session: 'S', deadline: T0 + 1_000, offset: 3 } as const]]);
const lost = new Map([['S', { cause: 'session_expired', endedAt: null, clean: false } as const]]);

const running = (policy: string) => [accepted(policy), scheduled(policy)] as const;
const held = (policy: string) => [...running(policy), happened('AttemptHeld')] as const;
const doubtful = (policy: string) => [...held(policy), happened('DoubtOpened')] as const;

describe('an outcome', () => {
  it('of the holder ends the step, and with it the run', () =>
    given(...held('verifiable'))
      .when((draft) => {
        says('AttemptSucceeded')(draft);
        goesOn()(draft);
      })
      .thenHappened('StepSucceeded', 'RunEnded'));

  it('of somebody else counts for nothing', () =>
    given(...held('verifiable'))
      .when(says('AttemptSucceeded', { session: 'stranger' }))
      .thenNothing());

  it('that the holder does not know is a doubt, with the deadline that it names', () =>
    given(...running('verifiable'))
      .when(says('AttemptUnknown', {}, { deadline: T0 + 700 }))
      .thenRecorded(
        happened('DoubtOpened', {
          cause: 'outcome_unknown',
          deadline: T0 + 700,
          settledAt: T0 + 1_200,
          settleBy: T0 + 61_200,
          holds: 'step',
          death: false,
        }),
      ));

  it('settles a doubt however late it comes', () =>
    given(...doubtful('verifiable'))
      .when(says('AttemptSucceeded'))
      .thenHappened('DoubtSettled', 'StepSucceeded'));

  it('"skipped" after "unknown" of the same holder is dropped', () =>
    given(...held('verifiable'), happened('DoubtOpened', { cause: 'outcome_unknown' }))
      .when(says('AttemptSkipped'))
      .thenNothing());

  it('that never to try again is meant is obeyed, also when it settles a doubt', () =>
    given(...doubtful('verifiable'))
      .when(says('AttemptFailed', {}, { retry: 'never' }))
      .thenHappened('DoubtSettled', 'StepFailed'));

  it('about a step that nobody knows changes nothing', () =>
    given(...held('verifiable'))
      .when(says('AttemptSucceeded', { step: 'constructor' }))
      .thenNothing());

  it.each(['AttemptStarted', 'AttemptProgressed'] as const)('%s only informs', (type) =>
    given(...held('verifiable'))
      .when(says(type))
      .thenNothing(),
  );

  it('that contradicts what was acted on is a conflict, and a person is told once', () => {
    const absent = { stepId: 'a', attempt: 0, doubtSeq: 3 };
    const acted = (draft: RunDraft) => {
      judges(absent.doubtSeq, 'absent', { askedAt: T0 + 2_000 })(draft);
      goesOn({ now: T0 + 2_000 })(draft);
      says('AttemptSucceeded')(draft);
      says('AttemptSucceeded')(draft);
    };
    given(...doubtful('verifiable'))
      .when(acted)
      .thenHappened('DoubtSettled', 'StepScheduled', 'ConflictFound', 'EscalationOpened');
  });

  it('too large to be kept is kept as its size and hash', () => {
    const result = 'x'.repeat(300_000);
    given(...held('verifiable'))
      .when((draft) => {
        says('AttemptSucceeded', {}, { result })(draft);
        expect(draft.events[0]?.event.data).toMatchObject({ omitted: { omitted: true, bytes: 300_002 } });
      })
      .thenHappened('StepSucceeded');
  });
});

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

describe('scheduling', () => {
  it('goes on past a step that cannot be called, where the plan tolerates it', () => {
    const program = planOf(
      step('x', 'pure', { args: { text: { $from: 'input.missing' } }, onFailure: 'continue' }),
      step('y', 'pure'),
    );
    given(accepted('pure', program)).when(goesOn()).thenHappened('StepFailed', 'StepScheduled');
  });

  it('never passes on a result that was too large to be kept', () => {
    const program = planOf(step('a', 'pure'), step('b', 'pure', { args: { all: { $from: 'steps.a' } } }));
    given(accepted('pure', program), scheduled('pure'))
      .when((draft) => {
        says('AttemptSucceeded', {}, { result: 'x'.repeat(300_000) })(draft);
        goesOn()(draft);
        expect(draft.events[1]?.event.data).toMatchObject({ failure: { code: 'result_too_large' } });
      })
      .thenHappened('StepSucceeded', 'StepFailed', 'RunEnded');
  });

  it('tries a repeatable step that runs out of time no more often than any other', () => {
    const threeTimes = (draft: RunDraft) => {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        says('AttemptUnknown', { attempt })(draft);
        goesOn()(draft);
      }
    };
    const again = ['DoubtOpened', 'DoubtSettled', 'StepScheduled'] as const;
    given(...running('repeatable'))
      .when(threeTimes)
      .thenHappened(...again, ...again, 'DoubtOpened', 'DoubtSettled', 'EscalationOpened');
  });
});
