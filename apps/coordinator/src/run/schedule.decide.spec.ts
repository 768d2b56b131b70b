import { goesOn, says } from '../../../../test/support/deciding.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { accepted, running, scheduled } from '../../../../test/support/run-events.js';
import { given } from '../../../../test/support/specification.js';
import type { RunDraft } from './draft.js';

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
