import { LaneHarness } from '../../../test/support/lane-harness.js';
import { one, planOf, step } from '../../../test/support/plans.js';
import { ledgerOf } from './ledger.js';

const fates = (lane: LaneHarness): readonly string[] =>
  ledgerOf(lane.events()).map(({ stepId, attempt, fate }) => `${stepId}/${attempt} ${fate}`);
const evidence = (lane: LaneHarness): string | undefined => ledgerOf(lane.events()).at(-1)?.evidence;
const held = (policy: string): LaneHarness => new LaneHarness().seat().submit(one(policy)).claims('run-1/a/0');

describe('the ledger of a run', () => {
  it('has an attempt as soon as it is ordered, with who holds it', () => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'verifiable'), step('b', 'unprotected')));
    expect(fates(lane)).toEqual(['a/0 under_way', 'b/0 under_way']);
    expect(ledgerOf(held('verifiable').tick(5).say('AttemptUnknown').events())).toMatchObject([
      { tool: 'verifiable@1', policy: 'verifiable', session: 'S', fate: 'in_doubt' },
    ]);
  });

  it('tells by an outcome, by its own word and by a closing claim', () => {
    expect(fates(held('verifiable').say('AttemptSucceeded'))).toEqual(['a/0 applied']);
    expect(fates(held('verifiable').say('AttemptFailed', {}, { retry: 'never' }))).toEqual(['a/0 absent']);
    expect(fates(held('verifiable').say('AttemptSkipped'))).toEqual(['a/0 absent']);
    const closed = new LaneHarness().seat().submit(one('verifiable')).cancel().closed('run-1/a/0');
    expect(fates(closed)).toEqual(['a/0 absent']);
    expect(evidence(closed)).toBe(
      'a (attempt 0) was closed before anybody began it (the run was cancelled): it never acts.',
    );
  });

  it('keeps what was found out about a doubt as the evidence, not the success that follows', () => {
    const lane = held('verifiable').dies().tick(2_000);
    expect(fates(lane)).toEqual(['a/0 in_doubt']);
    lane.judge(lane.doubtSeq(), 'applied');
    expect(fates(lane)).toEqual(['a/0 applied']);
    expect(evidence(lane)).toContain('is settled: the effect was applied (says the tool: the tool says so)');
  });

  it('has what was found absent beside the attempt that follows', () => {
    const lane = held('verifiable').dies().tick(2_000);
    lane.judge(lane.doubtSeq(), 'absent', { askedAt: lane.clock.now });
    expect(fates(lane)).toEqual(['a/0 absent', 'a/1 under_way']);
  });

  it('takes calls under one key for one effect', () => {
    const lane = held('keyed').dies().tick(2_000);
    expect(fates(lane)).toEqual(['a/0 in_doubt', 'a/1 under_way']);
    lane.claims('run-1/a/1', 'T').say('AttemptSucceeded', { attempt: 1, session: 'T' });
    expect(fates(lane)).toEqual(['a/0 covered', 'a/1 applied']);
    expect(lane.events().findLast(({ event }) => event.type === 'RunEnded')?.event.data).toMatchObject({
      report: { applied: 1 },
    });
  });

  it('leaves in doubt what a person has given up', () => {
    const lane = held('unprotected').dies().tick(2_000);
    const question = lane.questions()['a'] ?? -1;
    expect(fates(lane.decides(question, 'fail'))).toEqual(['a/0 in_doubt']);
  });

  it('shows a conflict as one', () => {
    const lane = held('unprotected').dies().tick(2_000);
    lane.decides(lane.questions()['a'] ?? -1, 'absent').say('AttemptSucceeded');
    expect(fates(lane)[0]).toBe('a/0 conflict');
  });
});
