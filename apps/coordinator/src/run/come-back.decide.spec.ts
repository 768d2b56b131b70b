import { asked, LaneHarness } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';

const HOUR = 3_600_000;
const refused = (lane: LaneHarness, attempt: number, retryAfterMs?: number) => {
  const failure = { code: 'http_429', message: 'too many requests' };
  const after = retryAfterMs === undefined ? {} : { retryAfterMs };
  return lane
    .claims(`run-1/a/${attempt}`)
    .say('AttemptFailed', { attempt }, { failure, retry: 'later', used: {}, ...after });
};
const submit = () => new LaneHarness().seat().submit(planOf(step('a', 'repeatable')), { deadlineMs: 2 * HOUR });

describe('a call that is told when to come back', () => {
  it('comes back then and not earlier, without a place meanwhile, and uses no try', () => {
    const lane = submit();
    for (let attempt = 0; attempt < 24; attempt += 1) {
      refused(lane, attempt, 30_000);
      expect(lane.machine.outstanding.get('default')).toBeUndefined();
      expect(lane.tick(29_999).commands).toHaveLength(attempt + 1);
      expect(lane.tick(1).commands).toHaveLength(attempt + 2);
    }
    lane.claims('run-1/a/24').say('AttemptSucceeded', { attempt: 24 });
    expect(lane.run().status).toBe('ended');
  });

  it('uses tries where nobody says when', () => {
    const lane = refused(submit(), 0).tick(1_000);
    refused(refused(lane, 1).tick(2_000), 2);
    expect(lane.told).toContain('StepFailed a/2');
    expect(lane.run().end?.reason).toBe('failed');
  });

  it('never waits less than the pause of the plan; a hint to come at once is a failure like any other', () => {
    const lane = refused(submit(), 0, 0);
    expect(lane.tick(999).commands).toHaveLength(1);
    refused(lane.tick(1), 1, 10).tick(2_000);
    expect(lane.commands).toHaveLength(3);
    expect(refused(lane, 2, 0).run().end?.reason).toBe('failed');
  });

  it('is put to a person at once where that is after the deadline of the run', () => {
    const lane = refused(submit(), 0, 24 * HOUR);
    const [open] = Object.values(lane.live().escalations);
    expect(open?.question).toContain('was told to come back at');
    expect(open?.question).toContain('too many requests (http_429)');
    const answer = { requestId: 'a', runId: 'run-1', escalation: open?.seq ?? -1, choice: 'retry' as const };
    lane.arrive(asked(request('AnswerEscalation', answer)));
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
  });

  it('is put to a person as well where nobody could say the date', () => {
    const lane = refused(submit(), 0, Number.MAX_SAFE_INTEGER);
    const [open] = Object.values(lane.live().escalations);
    expect(open?.question).toContain('was told to come back at');
  });

  it('is not made again where no try can help', () => {
    const lane = submit().claims('run-1/a/0');
    const failure = { code: 'http_402', message: 'out of credit' };
    lane.say('AttemptFailed', {}, { failure, retry: 'never', retryAfterMs: 1_000 });
    expect([lane.commands.length, lane.run().end?.reason]).toEqual([1, 'failed']);
  });
});
