import { runEvent, type RunEvent } from '@holdfast/events';
import type { ApprovalRule } from '@holdfast/programs';
import { ARGS, leading, pay } from '../../../../test/support/approving.js';
import { dataOf, lastReply, question } from '../../../../test/support/asking.js';
import { T0 } from '../../../../test/support/clock.js';
import { goesOn } from '../../../../test/support/deciding.js';
import { asked, LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { accepted, scheduled } from '../../../../test/support/run-events.js';
import { given } from '../../../../test/support/specification.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';

describe('an approval', () => {
  const approved = (rules?: readonly ApprovalRule[], policy?: string): LaneHarness => {
    const lane = leading(rules, policy);
    return lane.decides(question(lane, 'a'), 'approve');
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

  it('of a call that may be repeated is void once it may have acted: a person is asked about the second one', () => {
    const lane = approved([{ tool: 'repeatable' }], 'repeatable')
      .claims('run-1/a/0')
      .dies()
      .tick(5_000);
    expect(dataOf(lane, 'DoubtSettled')).toMatchObject([{ verdict: 'rerun' }]);
    expect(dataOf(lane, 'ApprovalVoided')).toMatchObject([{ attempt: 0, cause: 'may_have_acted' }]);
    expect(lane.commands).toEqual(['run-1/a/0']);
    lane.decides(question(lane, 'a'), 'approve');
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
    const used = dataOf(lane, 'StepScheduled').map(({ approvalSeq }) => approvalSeq);
    expect(new Set(used).size).toBe(2);
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
    lane.decides(question(lane, 'a'), 'approve');
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
    next.decides(question(next, 'a'), 'approve');
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
      ask('PauseRun').decides(question(lane, 'a'), 'approve').tick(1_000);
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
    lane.decides(question(lane, 'a'), 'approve');
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

  it.each([
    ['with other arguments', {}, 'arguments_changed'],
    ['of a tool with another hash', { toolHash: 'another' }, 'tool_changed'],
  ])('%s is void, and a person is asked anew', (_, approves, cause) => {
    const recorded: RunEvent[] = [];
    given(...approvedFor(approves)).when((draft) => {
      goesOn()(draft);
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
      .when(goesOn())
      .thenNothing();
  });
});
