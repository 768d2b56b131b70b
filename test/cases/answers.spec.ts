import type { Plan } from '@holdfast/programs';
import * as fc from 'fast-check';
import { T0 } from '../support/clock.js';
import { asked } from '../support/lane-harness.js';
import { request } from '../support/messages.js';
import { forEach, planOf } from '../support/plans.js';
import { APPROVED, Desk, once } from './support/desk.js';

const MINUTE = 60_000;

describe('case 88: two decisions at once', () => {
  const answer = (seq: number, choice: string, principal: string, requestId: string) =>
    asked({ ...request('AnswerEscalation', { requestId, runId: 'run-1', escalation: seq, choice }), principal });

  it('have one winner; the others learn who and when, and the effect is there once or not at all', () => {
    const won = new Set<string>();
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), fc.boolean(), (approveFirst, oneBatch, restarts) => {
        const desk = new Desk(planOf(once('rf-9')), { approvals: APPROVED });
        const seq = desk.question('rf-9');
        const clicks = [answer(seq, 'approve', 'ann', 'a'), answer(seq, 'reject', 'bob', 'b')];
        const both = approveFirst ? clicks : clicks.toReversed();
        if (oneBatch) desk.lane.arrive(...both);
        else for (const click of both) desk.lane.arrive(click);
        desk.work();
        if (restarts) desk.restart(2_000);
        // A double click, and the same click delivered again.
        const winner = approveFirst ? 'ann' : 'bob';
        const choice = approveFirst ? 'approve' : 'reject';
        desk.lane.arrive(answer(seq, choice, winner, 'again'));
        expect(desk.reply).toMatchObject({ requestId: 'again', outcome: 'unchanged' });
        desk.lane.arrive(...both);
        const loser = desk.lane.replies.filter((reply) => reply.startsWith(approveFirst ? 'b:' : 'a:'));
        expect(new Set(loser)).toEqual(new Set([`${approveFirst ? 'b' : 'a'}: already_answered`]));
        desk.lane.arrive(answer(seq, approveFirst ? 'reject' : 'approve', 'cleo', 'third'));
        expect(desk.reply).toMatchObject({ code: 'already_answered', details: { principal: winner, choice } });
        expect(desk.reply.message).toContain(new Date(T0).toISOString());
        expect(desk.told('EscalationAnswered')).toMatchObject([{ principal: winner, choice }]);
        expect(desk.work().effects('rf-9')).toBe(approveFirst ? 1 : 0);
        won.add(winner);
      }),
      { numRuns: 200 },
    );
    expect(won.size).toBe(2);
  });
});

describe('case 89: an old click answers a new question', () => {
  it('is refused as decided, and the new question waits', () => {
    const desk = new Desk(planOf(once('test'), once('live', {}, { after: ['test'] })), { approvals: APPROVED });
    const first = desk.question('test');
    desk.decide('test', 'approve');
    expect(desk.pending).toHaveProperty('live');
    desk.lane.decides(first, 'approve', { principal: 'bob' });
    expect(desk.reply).toMatchObject({ outcome: 'refused', code: 'already_answered' });
    expect(desk.reply.message).toContain('(test) was answered approve by ann');
    // A page that knows the run and the step alone decides nothing either.
    const byStep = { requestId: 'page', runId: 'run-1', stepId: 'live', choice: 'approve' };
    desk.lane.arrive(asked(request('AnswerEscalation', byStep)));
    expect(desk.reply.code).toBe('unknown_escalation');
    expect(Object.keys(desk.work().pending)).toEqual(['live']);
    expect([desk.effects('test'), desk.effects('live')]).toEqual([1, 0]);
  });
});

describe('case 91: answers go to the wrong question', () => {
  it('never: each question has its own number, and what waits is right after each answer', () => {
    const items = ['x1', 'x2', 'x3'].map((ref) => ({ ref, amount: 5 }));
    const plan = planOf({
      ...forEach('each', items, once('call', { $from: 'item' })),
      onFailure: 'continue',
    } as Plan['steps'][number]);
    const desk = new Desk(plan, { approvals: APPROVED });
    const [x1, x2, x3] = [0, 1, 2].map((index) => `each[${index}].call`) as [string, string, string];
    expect(new Set(Object.values(desk.pending)).size).toBe(3);
    desk.decide(x3, 'reject').restart();
    expect(Object.keys(desk.pending)).toEqual([x1, x2]);
    desk.decide(x1, 'approve').restart();
    expect(Object.keys(desk.pending)).toEqual([x2]);
    // Editing is not offered: the amount that was shown is approved, or nothing is.
    desk.decide(x2, 'edit', { value: { ref: 'x2', amount: 4 } });
    expect(desk.reply.code).toBe('edit_not_offered');
    expect(Object.keys(desk.restart().pending)).toEqual([x2]);
    desk.decide(x2, 'reject');
    expect(desk.pending).toEqual({});
    expect([x1, x2, x3].map((id) => desk.effects(id))).toEqual([1, 0, 0]);
    expect(desk.reason).toBe('succeeded');
  });
});

describe('case 93: answered, and still waiting', () => {
  const two = (): Desk => new Desk(planOf(once('a'), once('b')), { approvals: APPROVED });
  const done = (desk: Desk): void => {
    expect([desk.effects('a'), desk.effects('b')]).toEqual([1, 1]);
    expect(desk.reason).toBe('succeeded');
  };

  it('goes on as soon as a worker is there, when none was there at the answers', () => {
    const desk = two().workers('away').decide('a', 'approve').decide('b', 'approve');
    expect(desk.calls).toEqual([]);
    expect(desk.lane.live().waiting?.waitingFor).toContain('an executor that serves unprotected@1');
    done(desk.workers('there'));
  });

  it('goes on when everything was restarted and the answers bear the numbers from before', () => {
    const desk = two();
    const { a = -1, b = -1 } = desk.pending;
    desk.restart().lane.decides(a, 'approve').decides(b, 'approve');
    done(desk.work());
  });

  it('goes on when both answers come at the same moment', () => {
    const desk = two();
    const both = Object.values(desk.pending).map((escalation, index) =>
      asked(request('AnswerEscalation', { requestId: `r${index}`, runId: 'run-1', escalation, choice: 'approve' })),
    );
    desk.lane.arrive(...both);
    done(desk.work());
  });

  it('goes on when the second answer comes while the batch of the first is under way', () => {
    const desk = two();
    const { a = -1, b = -1 } = desk.pending;
    desk.lane.holdsAppends = true;
    desk.lane.decides(a, 'approve').decides(b, 'approve');
    desk.lane.answer('answer_lost');
    desk.lane.holdsAppends = false;
    while (desk.lane.pending.length > 0) desk.lane.answer();
    done(desk.work());
  });
});

describe('case 94: no answer is not a no, and a late yes is not a yes', () => {
  const limited = (): Desk =>
    new Desk(planOf(once('dp-1')), { approvals: [{ tool: 'unprotected', withinMs: 15 * MINUTE }] });
  const at = (minutes: number, ms = 0): number => T0 + minutes * MINUTE + ms;

  it('is honoured in the last moment', () => {
    const desk = limited().passes(15 * MINUTE - 1);
    desk.decide('dp-1', 'approve');
    expect(desk.effects('dp-1')).toBe(1);
  });

  it('is refused as expired a moment later, and the silence bears nobody’s name', () => {
    const desk = limited();
    const seq = desk.question('dp-1');
    desk.passes(15 * MINUTE + 1).lane.decides(seq, 'approve');
    expect(desk.reply).toMatchObject({ outcome: 'refused', code: 'expired' });
    desk.passes(MINUTE);
    desk.lane.decides(seq, 'approve', { principal: 'bob' });
    expect(desk.reply.code).toBe('expired');
    const [expired] = desk.lane.events().filter(({ event }) => event.type === 'EscalationExpired');
    expect(expired?.principal).toBeNull();
    expect(desk.told('EscalationAnswered')).toEqual([]);
    expect(desk.told('StepFailed')).toEqual([]);
    expect([desk.reason, desk.effects('dp-1')]).toEqual(['escalation_expired', 0]);
  });

  it('is refused when the run was cancelled', () => {
    const desk = limited();
    const seq = desk.question('dp-1');
    desk.lane.cancel();
    desk.lane.decides(seq, 'approve');
    expect(desk.reply).toMatchObject({ outcome: 'refused', code: 'run_ended' });
    expect(desk.reply.message).toContain('cancelled');
    expect([desk.reason, desk.work().effects('dp-1')]).toEqual(['cancelled', 0]);
  });

  it('is honoured when it was given in time and nobody was there to read it until later', () => {
    const desk = limited().passes(14 * MINUTE + 50_000);
    const seq = desk.question('dp-1');
    const { clock } = desk.lane;
    clock.forward(20_000);
    expect(clock.now).toBe(at(15, 10_000));
    desk.lane.readsRequests = false;
    desk.lane.unseat().seat().tick(1);
    desk.lane.decides(seq, 'approve', { at: at(14, 55_000) }).give({ type: 'RequestsRead', at: clock.now });
    expect(desk.work().effects('dp-1')).toBe(1);
    expect([desk.told('EscalationExpired').length, desk.reason]).toEqual([0, 'succeeded']);
  });
});
