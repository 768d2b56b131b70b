import { DEFAULTS } from '@holdfast/events';
import { asked, LaneHarness } from '../../../../test/support/lane-harness.js';
import { heard, request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { submission } from '../../../../test/support/submission.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';

const parent = { runId: 'q', stepId: 's', ticket: 't', depth: 1, detached: false };
const child = heard(submission(planOf(step('a', 'verifiable')), { parent }));
const refusals = (lane: LaneHarness) =>
  lane.reactions.flatMap((told) =>
    told.kind === 'request' && told.request.type === 'ReportChild' ? [told.request.data.report] : [],
  );
const refused = (code: string) => [{ status: 'ended', reason: 'refused', detail: expect.stringContaining(code) }];

describe('a run that is refused, and that another one has begun', () => {
  it('is told to that one where it cannot be decided', () => {
    const lane = new LaneHarness().seat();
    lane.catalogue = catalogueOf(tool('verifiable', { timeoutMs: 0.5 }));
    expect(refusals(lane.arrive(asked(child)))).toMatchObject(refused('undecidable'));
  });

  it('is told to that one where it is too old', () => {
    const lane = new LaneHarness().seat();
    lane.clock.forward(DEFAULTS.requestMemoryMs);
    expect(refusals(lane.arrive(asked(child)))).toMatchObject(refused('too_old'));
  });

  it('is told to that one where its id was used for something else', () => {
    const lane = new LaneHarness().seat();
    lane.arrive(asked(request('CancelRun', { requestId: child.data.requestId, runId: 'run-1' })));
    expect(refusals(lane.arrive(asked(child)))).toMatchObject(refused('invalid_request'));
  });

  it('is told to that one where it could not be read', () => {
    const lane = new LaneHarness().seat();
    const about = { requestId: 'x', runId: 'run-1', code: 'invalid_request', message: 'no sense' } as const;
    expect(refusals(lane.arrive({ kind: 'refuse', ...about, submission: child }))).toMatchObject(refused('no sense'));
  });
});
