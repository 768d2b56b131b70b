import { argsHash, runEvent, type RunEvent } from '@holdfast/events';
import { digest } from '../../../../test/support/digest.js';
import type { ApprovalRule, Json } from '@holdfast/programs';
import { T0 } from '../../../../test/support/clock.js';
import { asked, LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { forEach, planOf, runOf, step } from '../../../../test/support/plans.js';
import { accepted, scheduled } from '../../../../test/support/run-events.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { envOf, given } from '../../../../test/support/specification.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';
import { advanceRun } from './advance.decide.js';
import type { RunDraft } from './draft.js';

const ARGS = { to: 'A', amount: '120.00' };
const pay = (args: Json = ARGS, id = 'a') => step(id, 'verifiable', { args });
const leading = (rules: readonly ApprovalRule[] = [{ tool: 'verifiable' }], policy = 'verifiable'): LaneHarness =>
  new LaneHarness().seat().submit(planOf(step('a', policy, { args: ARGS })), { approvals: rules });
const question = (lane: LaneHarness, id = 'a'): number => lane.questions()[id] ?? -1;
const dataOf = (lane: LaneHarness, type: string) =>
  lane.events().flatMap(({ event }) => (event.type === type ? [event.data as Record<string, unknown>] : []));
const batchOf = (lane: LaneHarness, type: string) => lane.events().find(({ event }) => event.type === type)?.lane.first;
const lastReply = (lane: LaneHarness) => {
  const last = lane.reactions.findLast(({ kind }) => kind === 'reply');
  return last?.kind === 'reply' ? last.reply : undefined;
};

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
    const seq = question(lane);
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
    lane.decides(question(lane), 'reject', { note: 'wrong account' });
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
      lane.decides(question(lane), choice, more);
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

describe('an approval', () => {
  const approved = (rules?: readonly ApprovalRule[], policy?: string): LaneHarness => {
    const lane = leading(rules, policy);
    return lane.decides(question(lane), 'approve');
  };

  it('covers a new attempt of the same call, where the one before is known not to have acted', () => {
    const lane = approved();
    const questions = () => dataOf(lane, 'EscalationOpened').filter(({ kind }) => kind === 'approval');
    lane.tick(10_000).closed('run-1/a/0');
    lane.claims('run-1/a/1').say('AttemptSkipped', { attempt: 1 }).tick(300);
    lane.claims('run-1/a/2').say('AttemptFailed', { attempt: 2 }, { retry: 'now' }).tick(10);
    lane.claims('run-1/a/3', 'S3').dies('S3').tick(2_000);
    lane.judge(lane.doubtSeq(), 'absent', { attempt: 3, askedAt: lane.clock.now });
    expect(lane.commands.at(-1)).toBe('run-1/a/4');
    expect(new Set(dataOf(lane, 'StepScheduled').map(({ approvalSeq }) => approvalSeq)).size).toBe(1);
    expect(questions()).toHaveLength(1);
  });

  it('does not cover a call again that may have acted, or has', () => {
    const lane = approved().claims('run-1/a/0').dies();
    expect(lane.tick(5_000).commands).toEqual(['run-1/a/0']);
    lane.judge(lane.doubtSeq(), 'applied', { askedAt: lane.clock.now });
    expect(lane.run().end?.reason).toBe('succeeded');
    expect(lane.commands).toEqual(['run-1/a/0']);
  });

  it('is inherited by the attempt that settles a doubt about the approved call, also when its time is over', () => {
    const lane = approved([{ tool: 'keyed', usableMs: 50 }], 'keyed')
      .tick(100)
      .claims('run-1/a/0')
      .dies();
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
    expect(dataOf(lane, 'EscalationOpened')).toHaveLength(1);
  });

  it('is good for its time only: a later attempt is asked about anew', () => {
    const lane = approved([{ tool: 'verifiable', usableMs: 5_000 }]);
    const first = dataOf(lane, 'EscalationAnswered').length;
    lane.tick(10_000).closed('run-1/a/0');
    expect(dataOf(lane, 'ApprovalVoided')).toMatchObject([{ cause: 'not_used_in_time' }]);
    expect(lane.commands).toEqual(['run-1/a/0']);
    lane.decides(question(lane), 'approve');
    expect([first, lane.commands]).toEqual([1, ['run-1/a/0', 'run-1/a/1']]);
  });

  it('is for one step: its neighbour with the very same call is asked about by itself', () => {
    const lane = new LaneHarness()
      .seat()
      .submit(planOf(pay(), pay(ARGS, 'b')), { approvals: [{ tool: 'verifiable' }] });
    lane.decides(question(lane, 'a'), 'approve');
    expect(lane.commands).toEqual(['run-1/a/0']);
    expect(Object.keys(lane.questions())).toEqual(['b']);
  });

  it('survives a take-over, asked for or given', () => {
    const former = leading();
    const next = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock }).seat();
    next.queues = { default: queueOf({ partitions: [] }) };
    next.decides(question(next), 'approve');
    expect(next.commands).toEqual([]);
    const last = new LaneHarness({ owner: 'C3', history: former.history, clock: former.clock }).seat().tick(1);
    expect(last.commands).toEqual(['run-1/a/0']);
    expect(dataOf(last, 'EscalationOpened')).toHaveLength(1);
  });

  it('does nothing in a run that was cancelled meanwhile', () => {
    const plan = planOf(pay(), step('z', 'verifiable'));
    const lane = new LaneHarness()
      .seat()
      .submit(plan, { approvals: [{ tool: 'verifiable', when: [{ path: 'to', is: 'equals', value: 'A' }] }] });
    lane.decides(question(lane, 'z'), 'approve').claims('run-1/z/0').cancel();
    lane.decides(question(lane, 'a'), 'approve');
    expect(lastReply(lane)?.code).toBe('run_cancelling');
    lane.say('AttemptSucceeded', { step: 'z' });
    expect(lane.commands).toEqual(['run-1/z/0']);
    expect(lane.run().end?.reason).toBe('cancelled');
  });

  it('waits while the run is paused, and is asked for anew when its time is over by then', () => {
    const paused = (usableMs: number) => {
      const lane = leading([{ tool: 'verifiable', usableMs }]);
      const ask = (type: 'PauseRun' | 'ResumeRun') =>
        lane.arrive(asked(request(type, { requestId: type, runId: 'run-1', reason: '' })));
      ask('PauseRun').decides(question(lane), 'approve').tick(1_000);
      expect(lane.commands).toEqual([]);
      return ask('ResumeRun');
    };
    expect(paused(60_000).commands).toEqual(['run-1/a/0']);
    const late = paused(500);
    expect(late.commands).toEqual([]);
    expect(late.told.filter((name) => name.endsWith(' a'))).toEqual([
      'EscalationOpened a',
      'EscalationAnswered a',
      'ApprovalVoided a',
      'EscalationOpened a',
    ]);
  });

  it('waits while a doubt holds the run, and is used afterwards', () => {
    const plan = planOf(step('z', 'verifiable', { args: { to: 'B' } }), pay());
    const when = [{ path: 'to', is: 'equals' as const, value: 'A' }];
    const lane = new LaneHarness().seat().submit(plan, { approvals: [{ tool: 'verifiable', when }] });
    lane.claims('run-1/z/0').dies().decides(question(lane, 'a'), 'approve').tick(2_000);
    expect(lane.commands).toEqual(['run-1/z/0']);
    lane.judge(lane.doubtSeq('z'), 'applied', { attemptId: 'run-1/z/0', stepId: 'z', askedAt: lane.clock.now });
    expect(lane.commands).toEqual(['run-1/z/0', 'run-1/a/0']);
  });

  it('is for the tool as it was pinned: a deploy under the same run changes nothing about it', () => {
    const lane = leading();
    lane.catalogue = catalogueOf(tool('verifiable', { hash: 'another hash' }));
    lane.decides(question(lane), 'approve');
    const [order] = lane.reactions.filter(({ kind }) => kind === 'command');
    expect(order).toMatchObject({ order: { toolHash: 'hash of verifiable' } });
  });

  it('may be asked for of any tool, also one without effects', () => {
    const lane = approved([{ tool: 'pure' }], 'pure');
    expect(lane.commands).toEqual(['run-1/a/0']);
    lane.say('AttemptSucceeded');
    expect(lane.run().end?.reason).toBe('succeeded');
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

describe('an approval for another call', () => {
  const plan = { ...planOf(pay()), approvals: [{ tool: 'verifiable' }] };
  const approvedFor = (approves: object): readonly RunEvent[] => [
    accepted('verifiable', plan),
    runEvent('EscalationOpened', {
      stepId: 'a',
      attempt: 0,
      kind: 'approval',
      doubtSeq: null,
      question: '',
      choices: ['approve', 'reject'],
      expiresAt: T0 + 1_000,
      approves: { tool: 'verifiable@1', toolHash: 'hash of verifiable', argsHash: 'hash', ...approves },
    }),
    runEvent('EscalationAnswered', {
      stepId: 'a',
      attempt: 0,
      escalationSeq: 1,
      choice: 'approve',
      principal: 'ann',
      requestId: 'r',
      note: '',
      givenAt: T0,
    }),
  ];
  const goesOn = (draft: RunDraft) =>
    advanceRun(draft, envOf(), { room: new Map([['default', 10]]), steps: 10, spread: 0, starved: false, more: false });

  it.each([
    ['with other arguments', {}, 'arguments_changed'],
    ['of a tool with another hash', { toolHash: 'another' }, 'tool_changed'],
  ])('%s is void, and a person is asked anew', (_, approves, cause) => {
    const recorded: RunEvent[] = [];
    given(...approvedFor(approves)).when((draft) => {
      goesOn(draft);
      recorded.push(...draft.events.map(({ event }) => event));
    });
    expect(recorded.map(({ type }) => type)).toEqual(['ApprovalVoided', 'EscalationOpened']);
    expect(recorded[0]?.data).toMatchObject({ approvalSeq: 1, cause });
  });

  it.each([
    ['other arguments', { argsHash: 'other' }, {}],
    ['another tool hash', {}, { toolHash: 'another' }],
    ['another number', { approvalSeq: 7 }, {}],
  ])('is no history: a schedule under it with %s stops every reader', (_, used, approves) => {
    const history = [...approvedFor(approves), scheduled('verifiable', 0, { approvalSeq: 1, ...used })];
    expect(() => given(...history).when(() => undefined)).toThrow('under the approval of another call');
  });

  it('that was used is the one for the call that was made', () => {
    given(...approvedFor({}), scheduled('verifiable', 0, { approvalSeq: 1 }))
      .when(goesOn)
      .thenNothing();
  });
});
