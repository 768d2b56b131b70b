import { argsHash, runEvent, type RunEvent } from '@holdfast/events';
import type { ApprovalRule, Json, Plan } from '@holdfast/programs';
import { T0 } from '../support/clock.js';
import { goesOn } from '../support/deciding.js';
import { digest } from '../support/digest.js';
import { planOf, step } from '../support/plans.js';
import { accepted } from '../support/run-events.js';
import { given } from '../support/specification.js';
import { catalogueOf, tool } from '../support/tools.js';
import { APPROVED, Desk, once } from './support/desk.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('case 90: the approved call is not the executed call', () => {
  const ARGS = { to: 'A', amount: '120.00' };
  const pay = (args: Json = ARGS, name = 'unprotected') => step('pay', name, { args });
  const rules: readonly ApprovalRule[] = [{ tool: 'unprotected' }, { tool: 'verifiable' }];

  /** A run that resumes with this call, after a person has approved `pay {"to":"A","amount":"120.00"}`. */
  const resumed = (call: Plan, approvedHash = 'hash of unprotected'): readonly string[] => {
    const approves = { tool: 'unprotected@1', toolHash: approvedHash, argsHash: argsHash(digest, ARGS) };
    const about = { stepId: 'pay', attempt: 0 } as const;
    const history: readonly RunEvent[] = [
      accepted('unprotected', { ...call, approvals: [...rules] }),
      runEvent('EscalationOpened', {
        ...about,
        kind: 'approval',
        doubtSeq: null,
        question: 'May it?',
        choices: ['approve', 'reject'],
        expiresAt: T0 + MINUTE,
        approves,
      }),
      runEvent('EscalationAnswered', {
        ...about,
        escalationSeq: 1,
        choice: 'approve',
        principal: 'ann',
        requestId: 'r',
        note: '',
        givenAt: T0,
      }),
    ];
    const told: string[] = [];
    given(...history).when((draft) => {
      goesOn()(draft);
      told.push(...draft.events.map(({ event }) => event.type));
    });
    return told;
  };

  it.each([
    ['another amount', planOf(pay({ ...ARGS, amount: '1200.00' }))],
    ['another receiver', planOf(pay({ ...ARGS, to: 'B' }))],
    ['a tool that was changed by a deploy', planOf(pay()), 'hash before the deploy'],
  ])(
    'is not made with %s: the approval is void and another one is asked for',
    (_, call, hash = 'hash of unprotected') => {
      expect(resumed(call, hash)).toEqual(['ApprovalVoided', 'EscalationOpened']);
    },
  );

  it('is asked about by itself where it is another tool with the same arguments, or another step', () => {
    const plan = planOf(once('a', ARGS), step('b', 'verifiable', { args: ARGS }), once('c', ARGS));
    const desk = new Desk(plan, { approvals: rules });
    desk.decide('a', 'approve');
    expect(['a', 'b', 'c'].map((id) => desk.effects(id))).toEqual([1, 0, 0]);
    expect(Object.keys(desk.pending)).toEqual(['b', 'c']);
  });

  it('is made once when it is the same call: in other key order, or under the id of another attempt', () => {
    expect(resumed(planOf(pay({ amount: '120.00', to: 'A' })))).toEqual(['StepScheduled']);
    const desk = new Desk(planOf(pay()), { approvals: rules });
    desk.lane.decides(desk.question('pay'), 'approve').tick(10_000).closed('run-1/pay/0');
    // Nobody had begun the first attempt, and nobody ever can.
    const [, second] = desk.told('StepScheduled');
    expect(second).toMatchObject({ attempt: 1, approvalSeq: desk.told('StepScheduled')[0]?.['approvalSeq'] });
    expect(desk.told('EscalationOpened')).toHaveLength(1);
  });

  it('cannot be edited by whoever approves it: the stored call is made, the edit is refused', () => {
    const desk = new Desk(planOf(pay()), { approvals: rules });
    desk.decide('pay', 'approve', { value: { ...ARGS, amount: '1200.00' } });
    expect(desk.reply).toMatchObject({ outcome: 'refused', code: 'edit_not_offered' });
    expect(desk.effects('pay')).toBe(0);
    desk.decide('pay', 'approve');
    const [order] = desk.lane.reactions.filter(({ kind }) => kind === 'command');
    expect(order).toMatchObject({ order: { args: ARGS } });
    expect(desk.effects('pay')).toBe(1);
  });

  it('is ordered with the tool as it was when the run began: an executor with another one refuses it', () => {
    const desk = new Desk(planOf(pay()), { approvals: rules });
    desk.lane.catalogue = catalogueOf(tool('unprotected', { hash: 'after a deploy' }));
    desk.lane.decides(desk.question('pay'), 'approve');
    const [order] = desk.lane.reactions.filter(({ kind }) => kind === 'command');
    expect(order).toMatchObject({ order: { toolHash: 'hash of unprotected' } });
  });
});

describe('case 92: approving one call repeats its neighbour', () => {
  const rules: readonly ApprovalRule[] = [{ tool: 'unprotected', when: [{ path: 'ask', is: 'equals', value: true }] }];
  const mail = once('mail', { ask: false });

  it('does not: what was done beside it is done, after two hours and a restart of everything', () => {
    const desk = new Desk(planOf(mail, once('refund', { ask: true })), { approvals: rules });
    expect([desk.effects('mail'), desk.effects('refund')]).toEqual([1, 0]);
    desk.restart(2 * HOUR).decide('refund', 'approve');
    expect([desk.effects('mail'), desk.effects('refund')]).toEqual([1, 1]);
    expect(desk.reason).toBe('succeeded');
  });

  it('nor when two are asked about and the answers come an hour apart', () => {
    const desk = new Desk(planOf(mail, once('one', { ask: true }), once('two', { ask: true })), { approvals: rules });
    desk.decide('one', 'approve').restart(HOUR);
    expect(['mail', 'one', 'two'].map((id) => desk.effects(id))).toEqual([1, 1, 0]);
    desk.decide('two', 'approve');
    expect(['mail', 'one', 'two'].map((id) => desk.effects(id))).toEqual([1, 1, 1]);
    expect(desk.reason).toBe('succeeded');
  });
});

describe('case 95: the second approval sends the first result again', () => {
  it('does not: each result is used once and in order, and no approved call asks again', () => {
    const plan = {
      ...planOf(
        once('a', { ping: 'a' }),
        step('think', 'repeatable', { args: { seen: [{ $from: 'steps.a' }] } }),
        once('b', { ping: 'b', after: { $from: 'steps.think' } }),
        step('answer', 'repeatable', { args: { seen: [{ $from: 'steps.a' }, { $from: 'steps.b' }] } }),
      ),
      output: { $from: 'steps.answer' },
    };
    const desk = new Desk(plan, { approvals: APPROVED });
    desk.restart().decide('a', 'approve', { note: 'go on', proof: { context: 'more' } });
    desk.restart().decide('b', 'approve');
    expect(desk.calls).toEqual(['a', 'think', 'b', 'answer'].map((id) => `run-1/${id}/0`));
    expect(desk.told('EscalationOpened').map(({ stepId }) => stepId)).toEqual(['a', 'b']);
    const seen = desk.lane.reactions.flatMap((told) =>
      told.kind === 'command' && told.order.stepId === 'answer' ? [told.order.args] : [],
    );
    expect(seen).toEqual([{ seen: ['result of a', 'result of b'] }]);
    expect(desk.reason).toBe('succeeded');
  });
});
