import { T0 } from '../../../../test/support/clock.js';
import { goesOn, judges, says } from '../../../../test/support/deciding.js';
import { doubtful, happened, held, running } from '../../../../test/support/run-events.js';
import { given } from '../../../../test/support/specification.js';
import type { RunDraft } from './draft.js';

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
