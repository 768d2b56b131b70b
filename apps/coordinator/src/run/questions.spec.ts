import { LIMITS } from '@holdfast/events';
import type { PlanAsk, PlanNode } from '@holdfast/programs';
import { asking, dataOf, lastReply, node, question, swift } from '../../../../test/support/asking.js';
import { LaneHarness } from '../../../../test/support/lane-harness.js';
import { planOf, step } from '../../../../test/support/plans.js';

const free = (schema: PlanAsk['ask']['schema']): LaneHarness =>
  new LaneHarness()
    .seat()
    .submit({ ...planOf({ id: 'q', ask: { question: 'How many?', schema } }), output: { $from: 'steps.q' } });

describe('a question of a plan', () => {
  it('is asked with what it shows, whom it asks and until when', () => {
    const ask = { context: { files: 3 }, assignees: [{ to: 'ann', afterMs: 0 }], remindEveryMs: 5_000 };
    const [opened] = dataOf(asking({ ...ask, withinMs: 60_000 }), 'EscalationOpened');
    expect(opened).toMatchObject({
      kind: 'question',
      question: 'Go on?',
      choices: ['yes', 'no'],
      ...ask,
    });
    expect(Number(opened?.['expiresAt']) - Number(opened?.['openedAt'])).toBe(60_000);
  });

  it('takes whom to ask from the submitter, else from the plan, where it does not say it itself', () => {
    const plan = { ...planOf(node(), node({ withinMs: 7 }, 'r')), escalations: { withinMs: 5, remindEveryMs: 2_000 } };
    const lane = new LaneHarness()
      .seat()
      .submit(plan, { escalations: { withinMs: 6, assignees: [{ to: 'bob', afterMs: 0 }] } });
    const [q, r] = dataOf(lane, 'EscalationOpened');
    expect(q).toMatchObject({ assignees: [{ to: 'bob' }], remindEveryMs: 2_000 });
    expect([q, r].map((one) => Number(one?.['expiresAt']) - Number(one?.['openedAt']))).toEqual([6, 7]);
  });

  it('also asks about a doubt those whom the plan names', () => {
    const plan = { ...planOf(step('a', 'unprotected')), escalations: { assignees: [{ to: 'ops', afterMs: 0 }] } };
    const lane = new LaneHarness().seat().submit(plan).claims('run-1/a/0').dies().tick(2_000);
    expect(dataOf(lane, 'EscalationOpened')).toMatchObject([{ kind: 'doubt', assignees: [{ to: 'ops' }] }]);
  });

  it('has its answer for a result, with who gave it, when, and by what proof', () => {
    const lane = asking().tick(50);
    const at = lane.clock.now - 20;
    lane.decides(question(lane), 'no', { at, principal: 'bob', note: 'not yet', proof: { signature: 'abc' } });
    const answer = { choice: 'no', principal: 'bob', note: 'not yet', givenAt: at, proof: { signature: 'abc' } };
    expect(dataOf(lane, 'EscalationAnswered')).toMatchObject([answer]);
    expect(dataOf(lane, 'StepSucceeded')).toMatchObject([{ by: 'person', result: 'no' }]);
    expect(dataOf(lane, 'RunEnded')).toMatchObject([{ reason: 'succeeded', output: 'no', report: { applied: 0 } }]);
  });

  it('takes an answer in the form that was asked for, and no other', () => {
    const lane = free({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] });
    lane.decides(question(lane), 'answer', { value: { n: 'many' } });
    expect(lastReply(lane)).toMatchObject({ code: 'answer_wrong', message: '/n must be integer' });
    lane.decides(question(lane), 'answer');
    expect(lastReply(lane)).toMatchObject({ code: 'answer_wrong', message: 'the answer needs a value' });
    lane.decides(question(lane), 'yes');
    expect(lastReply(lane)).toMatchObject({ code: 'choice_not_offered', message: 'choose one of answer' });
    lane.decides(question(lane), 'answer', { value: { n: 3 } });
    expect(dataOf(lane, 'RunEnded')).toMatchObject([{ reason: 'succeeded', output: { n: 3 } }]);
  });

  it('refuses a proof or an answer that is too large', () => {
    const lane = free({});
    lane.decides(question(lane), 'answer', { value: 'x'.repeat(LIMITS.inlineValueBytes) });
    expect(lastReply(lane)?.code).toBe('too_large');
    lane.decides(question(lane), 'answer', { value: 1, proof: 'x'.repeat(LIMITS.evidenceBytes) });
    expect(lastReply(lane)?.code).toBe('too_large');
    expect(lane.told).not.toContain('EscalationAnswered q');
  });

  it('fails its step when what it would show is no text, or more than a person can be shown', () => {
    const of = (ask: object, input: object) => {
      const plan = planOf(step('p', 'pure'), { id: 'q', ask: { question: 'Well?', choices: ['yes'], ...ask } });
      const lane = new LaneHarness().seat().submit(plan, { input: input as never });
      lane.say('AttemptSucceeded', { step: 'p' }, { result: input as never });
      return dataOf(lane, 'StepFailed');
    };
    expect(of({ question: { $from: 'steps.p.n' } }, { n: 7 })).toMatchObject([
      { failure: { code: 'question_not_text' } },
    ]);
    const much = { n: 'x'.repeat(LIMITS.contextBytes) };
    expect(of({ context: { $from: 'steps.p' } }, much)).toMatchObject([{ failure: { code: 'context_too_large' } }]);
  });

  it('holds up nothing that does not depend on it, also not in very large numbers', () => {
    const items = Array.from({ length: 400 }, (_, index) => ({ index, text: 'x'.repeat(600) }));
    const ask = { question: 'Take it?', context: { $from: 'item' }, choices: ['yes', 'no'] };
    const plan = planOf(step('a', 'verifiable'), {
      id: 'e',
      forEach: { $from: 'input' },
      window: 400,
      steps: [{ id: 'q', ask }],
    });
    const lane = swift().submit(plan, { input: items });
    expect(lane.stopped).toBeNull();
    expect(lane.commands).toEqual(['run-1/a/0']);
    expect(dataOf(lane, 'EscalationOpened')).toHaveLength(LIMITS.questionsOpenMax);
    expect(lane.live().waiting?.waitingFor).toBe('one of its 256 questions to be answered');
    for (const seq of Object.values(lane.questions())) lane.decides(seq, 'yes');
    expect(dataOf(lane, 'EscalationOpened')).toHaveLength(400);
    for (const seq of Object.values(lane.questions())) lane.decides(seq, 'yes');
    lane.claims('run-1/a/0').say('AttemptSucceeded');
    expect(lane.run().end?.reason).toBe('succeeded');
  });

  it('is put off while very many are open, and holds up no step that comes after it', () => {
    const each = (id: string, count: number, inner: PlanNode) => ({
      id,
      forEach: Array.from({ length: count }, () => 0),
      window: count,
      steps: [inner],
    });
    const lane = swift().submit({
      ...planOf(
        step('y', 'verifiable'),
        each('e', 500, node()),
        each('f', 2, step('p', 'unprotected')),
        step('z', 'verifiable'),
      ),
      approvals: [{ tool: 'unprotected' }],
    });
    expect(lane.commands).toEqual(['run-1/y/0', 'run-1/z/0']);
    expect(Object.keys(lane.questions())).toHaveLength(LIMITS.questionsOpenMax);
    const first = (id: string) => Object.keys(lane.questions()).find((stepId) => stepId.startsWith(id)) ?? '';
    while (first('e[') !== '') lane.decides(question(lane, first('e[')), 'yes');
    for (const id of ['f[0].p', 'f[1].p']) lane.decides(question(lane, id), 'approve');
    expect(lane.commands).toEqual(['run-1/y/0', 'run-1/z/0', 'run-1/f[0].p/0', 'run-1/f[1].p/0']);
  });

  it('fits a batch with what it shows, however many are asked at once', () => {
    const ask = { question: 'Take it?', context: { $from: 'input' }, choices: ['yes', 'no'] };
    const plan = planOf({
      id: 'e',
      forEach: Array.from({ length: 64 }, () => 0),
      window: 64,
      steps: [{ id: 'q', ask }],
    });
    const lane = swift().submit(plan, { input: 'x'.repeat(60_000) });
    expect(lane.stopped).toBeNull();
    for (let ticks = 0; ticks < 20; ticks += 1) lane.tick(1);
    expect(dataOf(lane, 'EscalationOpened')).toHaveLength(64);
  });
});
