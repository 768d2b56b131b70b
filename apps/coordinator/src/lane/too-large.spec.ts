import { decode, encode, lanePrincipal, requestKind } from '@holdfast/contracts';
import { asked, LaneHarness } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { submission } from '../../../../test/support/submission.js';

const plan = planOf(step('a', 'verifiable'));
const long = 'x'.repeat(930_000);
const others = (lane: LaneHarness) => {
  lane.submit(plan, { runId: 'other' });
  return [lane.stopped, lane.replies.at(-1)];
};
const goOn = [null, 'submit other: accepted'];
const isRead = (message: Parameters<typeof encode>[0]) => decode(requestKind, encode(message), {}).ok;

describe('what is too large for one decision', () => {
  it('is not even read where only lanes and parents write', () => {
    const about = { requestId: 'x', runId: 'nobody', key: 'k' };
    const decided = { ...about, verdict: 'granted' as const, holder: null, displaces: [] };
    const parent = { runId: 'q', stepId: 's', ticket: 't', depth: 1, detached: false };
    expect(isRead(request('DecideKey', { ...decided, ticket: 't' }))).toBe(true);
    expect(isRead(request('DecideKey', { ...decided, ticket: long }))).toBe(false);
    expect(isRead(request('DecideKey', { ...decided, ticket: 't', displaces: [{ runId: 'r', ticket: long }] }))).toBe(
      false,
    );
    expect(isRead(submission(plan, { parent }))).toBe(true);
    expect(isRead(submission(plan, { parent: { ...parent, stepId: long } }))).toBe(false);
  });

  it('is refused by name as a submission, whatever of it is large', () => {
    const lane = new LaneHarness().seat();
    const when = [{ path: 'a', is: 'equals' as const, value: 'x'.repeat(300_000) }];
    lane.submit(plan, { input: { x: 'x'.repeat(250_000) }, approvals: [{ tool: 'verifiable', when }] });
    expect([lane.replies.at(-1), ...others(lane)]).toEqual(['submit run-1: too_large', ...goOn]);
  });

  it('is refused as a request, and the others go on', () => {
    const lane = new LaneHarness().seat();
    const about = { requestId: 'x', runId: 'nobody', ticket: long, key: 'k' };
    const decided = request('DecideKey', { ...about, verdict: 'granted', holder: null, displaces: [] });
    lane.arrive(asked({ ...decided, principal: lanePrincipal(0) }));
    expect([lane.replies.at(-1), ...others(lane)]).toEqual(['x: too_large', ...goOn]);
  });

  it('is passed as a word, and leaves its run alone', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 6_000 } }).seat();
    lane.submit(plan).claims('run-1/a/0');
    lane.say('AttemptSucceeded', {}, { result: 'x'.repeat(8_000) });
    expect([...lane.machine.broken.keys()]).toEqual(['run-1']);
    expect(others(lane)).toEqual(goOn);
  });

  it('is passed as often as it comes, also about a run that is left alone already', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 6_000 } }).seat();
    lane.submit(plan).claims('run-1/a/0');
    for (let word = 0; word < 2; word += 1) {
      lane.say('AttemptSucceeded', {}, { result: `${word}${'x'.repeat(8_000)}` });
    }
    expect([...lane.machine.broken.keys()]).toEqual(['run-1']);
    expect(others(lane)).toEqual(goOn);
  });

  it('is put to people one at a time, where many calls of one run are to be approved', () => {
    const lane = new LaneHarness().seat();
    const calls = Array.from({ length: 30 }, (_, n) =>
      step(`s${n}`, 'verifiable', { args: { n, x: { $from: 'input.x' } } }),
    );
    lane.submit(planOf(...calls), { input: { x: 'x'.repeat(60_000) }, approvals: [{ tool: 'verifiable' }] });
    expect([lane.stopped, Object.keys(lane.live().escalations).length]).toEqual([null, 30]);
  });

  it('leaves the run alone that alone leads to it', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 60_000 } }).seat();
    lane.submit(plan, { input: { x: 'x'.repeat(20_000) }, approvals: [{ tool: 'verifiable' }] });
    const call = step('a', 'verifiable', {
      args: { a: { $from: 'input.x' }, b: { $from: 'input.x' }, c: { $from: 'input.x' } },
    });
    lane.submit(planOf(call), {
      runId: 'run-2',
      input: { x: 'x'.repeat(20_000) },
      approvals: [{ tool: 'verifiable' }],
    });
    expect([...lane.machine.broken.keys()]).toEqual(['run-2']);
    // One that is left alone already is not blamed for the next one, wherever it stands.
    lane.machine.dirty.add('run-2');
    lane.submit(planOf(call), {
      runId: 'run-3',
      input: { x: 'x'.repeat(20_000) },
      approvals: [{ tool: 'verifiable' }],
    });
    expect([...lane.machine.broken.keys()]).toEqual(['run-2', 'run-3']);
    expect(others(lane)).toEqual(goOn);
  });
});
