import { argsHash } from '@holdfast/events';
import type { ApprovalRule, Json } from '@holdfast/programs';
import { agentOf, AgentPlay, answers, calls } from '../../../../test/support/agents.js';
import { ARGS, leading, pay } from '../../../../test/support/approving.js';
import { dataOf, lastReply, question } from '../../../../test/support/asking.js';
import { digest } from '../../../../test/support/digest.js';
import { LaneHarness } from '../../../../test/support/lane-harness.js';
import { forEach, planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';

const batchOf = (lane: LaneHarness, type: string) => lane.events().find(({ event }) => event.type === type)?.lane.first;

describe('a call that needs an approval', () => {
  it('is shown to a person with the tool and its arguments, and nothing is sent to anybody before', () => {
    const lane = leading();
    expect(lane.commands).toEqual([]);
    expect(dataOf(lane, 'EscalationOpened')).toMatchObject([
      {
        kind: 'approval',
        choices: ['approve', 'reject'],
        context: { tool: 'verifiable@1', args: ARGS },
        approves: { tool: 'verifiable@1', toolHash: 'hash of verifiable' },
      },
    ]);
    expect(lane.tick(1_000).told.filter((name) => name === 'EscalationOpened a')).toHaveLength(1);
  });

  it('is scheduled in the batch that takes the approval in, and names it', () => {
    const lane = leading();
    const seq = question(lane, 'a');
    lane.decides(seq, 'approve');
    expect(dataOf(lane, 'StepScheduled')).toMatchObject([{ attempt: 0, approvalSeq: seq }]);
    expect(batchOf(lane, 'StepScheduled')).toBe(batchOf(lane, 'EscalationAnswered'));
    const [order] = lane.reactions.filter(({ kind }) => kind === 'command');
    expect(order).toMatchObject({
      order: { argsHash: argsHash(digest, ARGS), args: ARGS },
    });
  });

  it('is not made when a person rejects it: the step fails for good', () => {
    const lane = leading();
    lane.decides(question(lane, 'a'), 'reject', { note: 'wrong account' });
    const failure = { code: 'rejected', message: 'ann rejected the call: wrong account' };
    expect(dataOf(lane, 'StepFailed')).toMatchObject([{ final: true, effect: 'none', failure }]);
    expect(lane.run().end?.reason).toBe('failed');
    expect(lane.commands).toEqual([]);
  });

  it('is not made when nobody answers: the run ends, or the step fails, as the rule says', () => {
    const ends = leading([{ tool: 'verifiable', withinMs: 1_000 }]).tick(2_000);
    expect(ends.run().end?.reason).toBe('escalation_expired');
    const fails = leading([{ tool: 'verifiable', withinMs: 1_000, onSilence: 'fail' }]).tick(2_000);
    expect(dataOf(fails, 'StepFailed')).toMatchObject([{ failure: { code: 'unanswered' }, final: true }]);
    expect([...ends.commands, ...fails.commands]).toEqual([]);
  });

  it('is known by its arguments: what the rule does not speak of is made at once', () => {
    const rules: ApprovalRule[] = [{ tool: 'verifiable@1', when: [{ path: 'amount', is: 'above', value: '100' }] }];
    const items = ['99.99', '100.01', '5'].map((amount) => ({ amount }));
    const plan = planOf(forEach('e', items, step('p', 'verifiable', { args: { $from: 'item' } })));
    const lane = new LaneHarness().seat().submit({ ...plan, approvals: rules });
    expect(lane.commands).toEqual(['run-1/e[0].p/0', 'run-1/e[2].p/0']);
    expect(Object.keys(lane.questions())).toEqual(['e[1].p']);
  });

  it('needs what either the plan or the submitter wants approved', () => {
    const plan = { ...planOf(pay(), step('b', 'keyed'), step('c', 'verifiable@1')), approvals: [{ tool: 'keyed' }] };
    const lane = new LaneHarness()
      .seat()
      .submit(plan, { approvals: [{ tool: 'verifiable', when: [{ path: 'to', is: 'equals' as const, value: 'A' }] }] });
    // Nothing is said about `to` of step c: then a person is asked.
    expect(Object.keys(lane.questions())).toEqual(['a', 'b', 'c']);
  });

  it('cannot be changed by whoever answers: edited arguments are refused with words', () => {
    const lane = leading();
    for (const [choice, more] of [
      ['approve', { value: { ...ARGS, amount: '1' } }],
      ['approve', { result: ARGS }],
      ['edit', {}],
    ] as const) {
      lane.decides(question(lane, 'a'), choice, more);
      expect(lastReply(lane)).toMatchObject({ outcome: 'refused', code: 'edit_not_offered' });
    }
    expect(lastReply(lane)?.message).toContain('other arguments are another call');
    expect(lane.commands).toEqual([]);
  });

  it('is not asked about when it cannot be made, or not be shown', () => {
    const lane = new LaneHarness().seat().submit(planOf(pay({ $from: 'input' })), {
      input: { text: 'x'.repeat(70_000) },
      approvals: [{ tool: 'verifiable' }],
    });
    expect(dataOf(lane, 'StepFailed')).toMatchObject([{ failure: { code: 'too_large_to_approve' } }]);
    expect(dataOf(lane, 'EscalationOpened')).toEqual([]);
  });

  it('is refused at submission where a rule names a tool that is not there', () => {
    const lane = leading([{ tool: 'verfiable' }]);
    expect(lastReply(lane)).toMatchObject({ code: 'invalid_program', details: [{ at: 'approvals[0].tool' }] });
  });

  it('makes a run another one: the same id with other rules is taken', () => {
    const lane = leading();
    lane.submit(planOf(step('a', 'verifiable', { args: ARGS })), {
      requestId: 'again',
      approvals: [{ tool: 'keyed' }],
    });
    expect(lastReply(lane)?.code).toBe('run_id_taken');
  });
});

describe('a run that begins others', () => {
  const RULE: ApprovalRule = { tool: 'verifiable', when: [{ path: 'to', is: 'equals', value: 'A' }] };
  const asking = { escalations: { assignees: [{ to: 'ops', afterMs: 0 }], withinMs: 5_000 } };
  const child = planOf(pay());
  const questionsOf = (lanes: SeveralLanes, runId: string) => Object.values(lanes.live(runId)?.escalations ?? {});

  it('hands its rules and its people down: a call cannot be made by a child to avoid an approval', () => {
    const lanes = new SeveralLanes(3);
    lanes.submit(planOf(runOf('c', planOf(runOf('d', child)))), { runId: 'p', approvals: [RULE], ...asking }).calm();
    expect(lanes.at('p~c~d').commands).toEqual([]);
    expect(questionsOf(lanes, 'p~c~d')).toMatchObject([{ kind: 'approval', stepId: 'a', assignees: [{ to: 'ops' }] }]);
    expect(lanes.live('p~c~d')?.approvals).toEqual([RULE]);
  });

  it('leaves a child its own rules and people beside them, and each rule once', () => {
    const own = { ...child, approvals: [RULE, { tool: 'keyed' }], escalations: { withinMs: 9_000 } };
    const lanes = new SeveralLanes(3);
    lanes.submit(planOf(runOf('c', own as unknown as Json)), { runId: 'p', approvals: [RULE], ...asking }).calm();
    expect(lanes.live('p~c')?.approvals).toEqual([RULE, { tool: 'keyed' }]);
    const [question] = questionsOf(lanes, 'p~c');
    expect(question).toMatchObject({ assignees: [{ to: 'ops' }] });
    expect((question?.expiresAt ?? 0) - (question?.openedAt ?? 0)).toBe(9_000);
  });

  it('is refused with more rules than a run may have', () => {
    const rules = (count: number, from = 0) =>
      Array.from({ length: count }, (_, index): ApprovalRule => ({ tool: 'verifiable', usableMs: 1 + from + index }));
    const submitted = (mine: number, plans: number) => {
      const lane = new LaneHarness().seat();
      return lastReply(lane.submit({ ...child, approvals: rules(plans) }, { approvals: rules(mine, 100) }));
    };
    expect(submitted(32, 32)).toMatchObject({ outcome: 'accepted' });
    expect(submitted(33, 32)).toMatchObject({ code: 'invalid_program', details: [{ at: 'approvals' }] });
  });
});

describe('a rule that a tool brings along', () => {
  const careful = catalogueOf(
    tool('verifiable', { approvals: [{ when: [{ path: 'amount', is: 'above', value: 100 }], withinMs: 5_000 }] }),
    tool('pure'),
  );
  const begin = (program: unknown) => {
    const lane = new LaneHarness();
    lane.catalogue = careful;
    return lane.seat().submit(program);
  };
  const paying = (amount: number) => step('a', 'verifiable', { args: { amount } });

  it('holds in every run, whatever its program says', () => {
    const lane = begin(planOf(paying(500)));
    expect(lane.commands).toEqual([]);
    expect(dataOf(lane, 'EscalationOpened')).toMatchObject([{ kind: 'approval', context: { args: { amount: 500 } } }]);
    lane.decides(question(lane, 'a'), 'approve');
    expect(lane.commands).toEqual(['run-1/a/0']);
  });

  it('lets through what it does not speak of', () => expect(begin(planOf(paying(50))).commands).toEqual(['run-1/a/0']));

  it('stands in the history of the run: a tool that is published anew changes nothing of it', () => {
    const lane = begin(planOf(step('p', 'pure'), { ...paying(500), after: ['p'] }));
    lane.catalogue = catalogueOf(tool('verifiable'), tool('pure'));
    lane.say('AttemptSucceeded', { step: 'p' });
    expect(dataOf(lane, 'RunAccepted')).toMatchObject([{ approvals: [{ tool: 'verifiable@1', withinMs: 5_000 }] }]);
    expect(dataOf(lane, 'EscalationOpened')).toHaveLength(1);
  });

  it('makes none of the rules of a program milder', () => {
    const rule = { tool: 'verifiable', withinMs: 60_000 };
    const lane = begin({ ...planOf(paying(500)), approvals: [rule] });
    const [asked] = dataOf(lane, 'EscalationOpened');
    expect(Number(asked?.['expiresAt']) - Number(asked?.['openedAt'])).toBe(5_000);
  });

  it('holds for a call of a model as well', () => {
    const play = new AgentPlay({
      model: (_, turn) => (turn === 0 ? calls(['verifiable', { amount: 500 }]) : answers('ok')),
    });
    play.lane.catalogue = new Map([...play.lane.catalogue, ...careful]);
    play.submit(agentOf(['verifiable']));
    expect(play.called).toEqual([]);
    play.lane.decides(question(play.lane, 'agent[0].verifiable-0'), 'approve');
    play.go();
    expect(play.called).toHaveLength(1);
    expect(play.end?.reason).toBe('succeeded');
  });
});
