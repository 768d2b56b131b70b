import { T0 } from '../../../../test/support/clock.js';
import { request } from '../../../../test/support/messages.js';
import { forEach, planOf, step } from '../../../../test/support/plans.js';
import { accepted, happened, held } from '../../../../test/support/run-events.js';
import { envOf, given } from '../../../../test/support/specification.js';
import { decideCancel } from './cancel.decide.js';
import type { RunDraft } from './draft.js';
import { decideKill } from './kill.decide.js';
import { decidePause, decideResume } from './pause.decide.js';
import { decideSteer } from './steer.decide.js';

const asked = { requestId: 'q', runId: 'run-1' };
const cancels =
  (more = {}) =>
  (draft: RunDraft) =>
    decideCancel(draft, request('CancelRun', { ...asked, ...more }), envOf());
const kills = (draft: RunDraft) => decideKill(draft, request('KillRun', { ...asked, reason: 'wild' }), envOf());
const pauses = (draft: RunDraft) => decidePause(draft, request('PauseRun', asked), envOf());
const resumes = (draft: RunDraft) => decideResume(draft, request('ResumeRun', asked), envOf({ now: T0 + 5 }));
const steers = (more: object) => (draft: RunDraft) =>
  decideSteer(draft, request('SteerRun', { ...asked, ...more }), envOf());

const paused = happened('RunPaused');
const over = happened('RunEnded');

describe('a kill', () => {
  it('ends the run in the same batch, with its cause and what is under way', () =>
    given(...held('verifiable'))
      .when((draft) => {
        kills(draft);
        const running = [{ stepId: 'a', attempt: 0, tool: 'verifiable@1', note: 'held by session S' }];
        expect(draft.events.at(-1)?.event.data).toMatchObject({
          reason: 'cancelled',
          detail: 'killed: wild',
          cause: { kind: 'kill', by: null, requestId: 'q', detail: 'wild' },
          report: { running },
        });
      })
      .thenHappened('KillRequested', 'RunEnded'));

  it('does not wait for the cancel that is under way', () =>
    given(...held('verifiable'), happened('CancelRequested'))
      .when(kills)
      .thenHappened('KillRequested', 'RunEnded'));

  it('of a run that is over changes nothing and names its end', () =>
    given(...held('verifiable'), over)
      .when(kills)
      .thenAnswered({ outcome: 'unchanged', code: 'run_ended', message: 'the run has ended already: cancelled' }));

  it('of a run that nobody knows is refused', () =>
    given().when(kills).thenAnswered({ outcome: 'refused', code: 'unknown_run' }));
});

describe('a pause', () => {
  it('is a fact with its principal and its reason', () =>
    given(...held('verifiable'))
      .when(pauses)
      .thenRecorded(happened('RunPaused', { requestId: 'q' })));

  it('of a paused run, and going on with one that is not, change nothing', () => {
    given(...held('verifiable'), paused)
      .when(pauses)
      .thenAnswered({ outcome: 'unchanged', message: 'the run is paused already' });
    given(...held('verifiable'))
      .when(resumes)
      .thenAnswered({ outcome: 'unchanged', message: 'the run is not paused' });
  });

  it('is over when somebody resumes the run', () =>
    given(...held('verifiable'), paused)
      .when((draft) => {
        resumes(draft);
        expect(draft.run).toMatchObject({ paused: null });
      })
      .thenHappened('RunResumed'));

  it('is over when the run is cancelled', () =>
    given(...held('verifiable'), paused)
      .when((draft) => {
        cancels()(draft);
        expect(draft.run).toMatchObject({ status: 'cancelling', paused: null });
      })
      .thenHappened('CancelRequested'));
});

describe('what may be asked of a run that stops', () => {
  const asks = [pauses, resumes, steers({ deadlineMs: 1 })];

  it.each(asks)('is nothing more while it is cancelled', (ask) =>
    given(...held('verifiable'), happened('CancelRequested'))
      .when(ask)
      .thenAnswered({ outcome: 'refused', code: 'run_cancelling' }),
  );

  it.each(asks)('is nothing more once it is over', (ask) =>
    given(...held('verifiable'), over)
      .when(ask)
      .thenAnswered({ outcome: 'refused', code: 'run_ended', message: 'the run has ended already: cancelled' }),
  );

  it.each(asks)('is nothing where nobody knows it', (ask) =>
    given().when(ask).thenAnswered({ outcome: 'refused', code: 'unknown_run' }),
  );
});

describe('steering', () => {
  const eachOf = (window: number) => planOf({ ...forEach('each', [1, 2, 3], step('a', 'verifiable')), window });

  it('gives a run another deadline, from now on', () =>
    given(...held('verifiable'))
      .when((draft) => {
        steers({ deadlineMs: 60_000 })(draft);
        expect(draft.run).toMatchObject({ deadlineAt: T0 + 60_000 });
      })
      .thenHappened('RunSteered'));

  it('opens more items at once where the window is larger now', () =>
    given(accepted('verifiable', eachOf(1)))
      .when((draft) => {
        steers({ windows: { each: 2 } })(draft);
        expect(draft.run).toMatchObject({ progress: { nodes: { each: { open: [{ index: 0 }, { index: 1 }] } } } });
      })
      .thenHappened('RunSteered'));

  it.each([
    [{ windows: { other: 2, each: 1 } }, 'windows: there is no forEach other; the plan has each'],
    [{ limits: { steps: 1 } }, 'limits: the run has none that could be changed'],
  ])('refuses %j whole and says why', (more, message) =>
    given(accepted('verifiable', eachOf(1)))
      .when(steers(more))
      .thenAnswered({ outcome: 'refused', code: 'invalid_request', message }),
  );

  it('lets no run outlive the keys of its tools', () =>
    given(accepted('keyed'))
      .when(steers({ deadlineMs: 3_000_000 }))
      .thenAnswered({ outcome: 'refused', code: 'invalid_request' }));
});

describe('a cancel', () => {
  it('gives a run no more time than it had', () =>
    given(accepted('verifiable'))
      .when(cancels({ withinMs: 2_000_000 }))
      .thenRecorded(happened('CancelRequested', { requestId: 'q', deadlineAt: T0 + 1_000_000 })));

  it('says when the one before it is over', () =>
    given(...held('verifiable'), happened('CancelRequested'))
      .when(cancels({ withinMs: 1 }))
      .thenAnswered({
        outcome: 'unchanged',
        message: `the run is being cancelled already and ends by ${new Date(T0 + 5_000).toISOString()}`,
      }));
});
