import { entriesIn } from '@holdfast/events';
import { asked, LaneHarness } from '../../../../test/support/lane-harness.js';
import { heard, request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { submission } from '../../../../test/support/submission.js';

const plan = planOf(step('a', 'verifiable'));
const parent = { runId: 'q', stepId: 's', ticket: 't', depth: 1, detached: false };

describe('what only lanes say', () => {
  it.each([
    { parent },
    { bornBy: 9e12 },
    { deadlineAt: 9e12 },
    { limits: { amounts: {}, depth: 1, onExhausted: 'end' as const } },
  ])('is refused in the submission of somebody else: %j', (more) => {
    const lane = new LaneHarness().seat().submit(plan, more);
    expect(lane.replies).toEqual(['submit run-1: invalid_request']);
    expect(lane.told).not.toContain('RunAccepted');
    lane.arrive(asked(heard(submission(plan, { ...more, runId: 'run-2' }))));
    expect(lane.told).toContain('RunAccepted');
  });

  it('is refused in the cancel of somebody else', () => {
    const lane = new LaneHarness().seat().submit(plan);
    lane.arrive(asked(request('CancelRun', { requestId: 'c', runId: 'run-1', child: 't' })));
    expect(lane.replies.at(-1)).toBe('c: invalid_request');
  });

  it('is passed over where somebody else says it of a key or of a child', () => {
    const lane = new LaneHarness().seat();
    const claim = { requestId: 'c', runId: 'run-1', ticket: 't', key: 'k', policy: 'queue' as const };
    lane.arrive(asked(request('ClaimKey', claim)));
    expect(lane.machine.lane.shared.keys.size).toBe(0);
    lane.arrive(asked(heard(request('ClaimKey', claim))));
    expect(entriesIn(lane.machine.lane.shared.keys).map(([key]) => key)).toEqual(['k']);
  });
});
