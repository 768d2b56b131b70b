import { LIMITS } from '@holdfast/events';
import type { PlanAsk } from '@holdfast/programs';
import { asked as asRequested, LaneHarness, type HarnessOptions } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';

type Ask = Partial<PlanAsk['ask']>;
const SKEW_MS = 100;

const node = (ask: Ask = {}, id = 'q'): PlanAsk => ({
  id,
  ask: { question: 'Go on?', choices: ['yes', 'no'], ...ask },
});
/** Without holding each step against the fold: that is shown elsewhere, and very many steps would take long. */
const swift = (): LaneHarness => Object.assign(new LaneHarness(), { proves: false }).seat();
const asking = (ask: Ask = {}, options: HarnessOptions = {}): LaneHarness =>
  new LaneHarness(options).seat().submit({ ...planOf(node(ask)), output: { $from: 'steps.q' } });
const free = (schema: PlanAsk['ask']['schema']): LaneHarness =>
  new LaneHarness()
    .seat()
    .submit({ ...planOf({ id: 'q', ask: { question: 'How many?', schema } }), output: { $from: 'steps.q' } });
const question = (lane: LaneHarness, id = 'q'): number => lane.questions()[id] ?? -1;
const dataOf = (lane: LaneHarness, type: string) =>
  lane.events().flatMap(({ event }) => (event.type === type ? [event.data as Record<string, unknown>] : []));
const lastReply = (lane: LaneHarness) => {
  const last = lane.reactions.findLast(({ kind }) => kind === 'reply');
  return last?.kind === 'reply' ? last.reply : undefined;
};

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
    expect(dataOf(lane, 'EscalationOpened')).toHaveLength(400);
    for (const seq of Object.values(lane.questions())) lane.decides(seq, 'yes');
    lane.claims('run-1/a/0').say('AttemptSucceeded');
    expect(lane.run().end?.reason).toBe('succeeded');
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

describe('the ladder', () => {
  const assignees = [
    { to: 'ann', afterMs: 0 },
    { to: 'bob', afterMs: 10_000 },
    { to: 'cleo', afterMs: 20_000 },
  ];
  const reminders = (lane: LaneHarness) => dataOf(lane, 'EscalationReminded').map(({ nth, to }) => [nth, to]);

  it('asks the next in line after their time, and reminds those who were asked', () => {
    const lane = asking({ assignees, remindEveryMs: 8_000, withinMs: 25_000 });
    for (let second = 0; second < 30; second += 1) lane.tick(1_000);
    expect(reminders(lane)).toEqual([
      [1, ['ann']],
      [2, ['ann', 'bob']],
      [3, ['ann', 'bob']],
      [4, ['ann', 'bob', 'cleo']],
      [5, ['ann', 'bob', 'cleo']],
    ]);
  });

  it('says it once when nobody was there to say it in time, also after a take-over', () => {
    const former = asking({ assignees, remindEveryMs: 1_000 });
    former.clock.forward(15_000);
    const lane = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock }).seat().tick(1);
    expect(reminders(lane)).toEqual([[1, ['ann', 'bob']]]);
    expect(
      lane
        .tick(500)
        .tick(600)
        .tick(300)
        .told.filter((name) => name === 'EscalationReminded q'),
    ).toHaveLength(2);
  });

  it('ends with the answer, and with a bound', () => {
    const lane = asking({ remindEveryMs: 1_000 }).tick(1_000);
    lane.decides(question(lane), 'yes').tick(5_000);
    expect(reminders(lane)).toHaveLength(1);
    const long = asking({ remindEveryMs: 1_000, withinMs: 900_000 });
    long.proves = false;
    for (let second = 0; second < LIMITS.remindersMax + 20; second += 1) long.tick(1_000);
    expect(reminders(long)).toHaveLength(LIMITS.remindersMax);
  });
});

describe('silence', () => {
  it.each([
    [undefined, ['EscalationExpired q', 'RunEnded'], 'escalation_expired'],
    ['end' as const, ['EscalationExpired q', 'RunEnded'], 'escalation_expired'],
    ['fail' as const, ['EscalationExpired q', 'StepFailed q', 'RunEnded'], 'failed'],
    [{ answer: 'no' }, ['EscalationExpired q', 'StepSucceeded q', 'RunEnded'], 'succeeded'],
  ])('means what the question says: %j', (onSilence, told, reason) => {
    const lane = asking({ withinMs: 1_000, ...(onSilence === undefined ? {} : { onSilence }) });
    lane.tick(999);
    expect(lane.run().status).toBe('running');
    lane.tick(1 + SKEW_MS);
    expect(lane.told.filter((name) => !name.startsWith('Lane')).slice(2)).toEqual(told);
    expect(lane.run().end?.reason).toBe(reason);
  });

  it('names nobody', () => {
    const lane = asking({ withinMs: 1_000, onSilence: { answer: 'no' } }).tick(2_000);
    expect(lane.events().every(({ principal }) => principal === null)).toBe(true);
    expect(dataOf(lane, 'StepSucceeded')).toMatchObject([{ by: 'silence', session: null, result: 'no' }]);
  });

  it('lets what does not depend on the question go on, where it fails the step and the plan tolerates that', () => {
    const plan = planOf(
      { ...node({ withinMs: 1_000, onSilence: 'fail' }), onFailure: 'continue' },
      step('a', 'verifiable'),
      step('b', 'pure', { after: ['q'] }),
    );
    const lane = new LaneHarness().seat().submit(plan).tick(2_000).claims('run-1/a/0').say('AttemptSucceeded');
    expect(lane.told).not.toContain('StepScheduled b');
    expect(lane.run().end?.reason).toBe('succeeded');
  });
});

describe('an answer', () => {
  it('counts when it was given in time and is read late, also by another owner', () => {
    const former = asking({ withinMs: 10_000 });
    const seq = question(former);
    const at = former.clock.now + 9_999;
    former.clock.forward(60_000);
    const lane = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock });
    lane.readsRequests = false;
    lane.seat().tick(1);
    expect(lane.outputs.some(({ type }) => type === 'ReadRequests')).toBe(true);
    lane.tick(5_000).decides(seq, 'yes', { at }).give({ type: 'RequestsRead', at: lane.clock.now });
    expect(lane.told).not.toContain('EscalationExpired q');
    expect(dataOf(lane, 'RunEnded')).toMatchObject([{ reason: 'succeeded', output: 'yes' }]);
  });

  it('is waited for only until the requests are read to an end fetched after the time was over', () => {
    const lane = asking({ withinMs: 10_000 });
    lane.readsRequests = false;
    lane.give({ type: 'RequestsRead', at: lane.clock.now }).tick(60_000);
    expect(lane.told).not.toContain('EscalationExpired q');
    lane.give({ type: 'RequestsRead', at: lane.clock.now });
    expect(lane.told).toContain('EscalationExpired q');
  });

  it('is not waited for in vain: what a former term has read says nothing about this one', () => {
    const lane = asking({ withinMs: 10_000 });
    lane.give({ type: 'RequestsRead', at: lane.clock.now + 1_000_000 });
    lane.readsRequests = false;
    lane.unseat().seat().tick(60_000);
    expect(lane.told).not.toContain('EscalationExpired q');
  });

  it('that lies in the inbox counts before the silence does', () => {
    const lane = asking({ withinMs: 10_000 });
    const seq = question(lane);
    const at = lane.clock.now + 5_000;
    lane.readsRequests = false;
    lane.holdsAppends = true;
    lane.submit(planOf(step('z', 'pure')), { runId: 'run-2' });
    for (let index = 0; index < 300; index += 1) lane.decides(seq, 'perhaps', { at });
    lane.decides(seq, 'yes', { at }).tick(60_000);
    lane.give({ type: 'RequestsRead', at: lane.clock.now });
    while (lane.pending.length > 0) lane.answer();
    expect(lane.told).not.toContain('EscalationExpired q');
    expect(lane.run().end?.reason).toBe('succeeded');
  });

  it('that was given late is refused with the time that it had, before and after the question has expired', () => {
    const lane = asking({ withinMs: 1_000, onSilence: 'fail' });
    const seq = question(lane);
    lane.readsRequests = false;
    lane.tick(1_001).decides(seq, 'yes');
    expect(lastReply(lane)).toMatchObject({ outcome: 'refused', code: 'expired' });
    lane.tick(200).give({ type: 'RequestsRead', at: lane.clock.now }).decides(seq, 'yes');
    expect(lastReply(lane)).toMatchObject({ outcome: 'refused', code: 'expired' });
    expect(lastReply(lane)?.message).toContain(new Date(lane.clock.now - 201).toISOString());
  });

  it('to a question of a run that is cancelled or over is refused as such', () => {
    const plan = planOf(node(), step('a', 'verifiable'));
    const lane = new LaneHarness().seat().submit(plan).claims('run-1/a/0').cancel();
    const seq = question(lane);
    lane.decides(seq, 'yes');
    expect(lastReply(lane)).toMatchObject({
      code: 'run_cancelling',
      message: 'run run-1 is being cancelled: nothing begins any more',
    });
    lane.say('AttemptSucceeded').decides(seq, 'yes');
    expect(lastReply(lane)).toMatchObject({
      code: 'run_ended',
      message: 'nothing is asked about run run-1 (ended, cancelled)',
    });
    expect(lane.run().end?.reason).toBe('cancelled');
  });

  it('cannot end a cancelled run by its silence in place of the cancel', () => {
    const lane = new LaneHarness().seat().submit(planOf(node({ withinMs: 1_000 }), step('a', 'verifiable')));
    lane
      .claims('run-1/a/0', 'S', lane.clock.now + 50_000)
      .cancel('run-1', 20_000)
      .tick(5_000);
    expect(lane.told).not.toContain('EscalationExpired q');
    expect(lane.tick(15_000).run().end?.reason).toBe('cancelled');
  });

  it('has one winner; the other one learns who that was and when, also when the run is over by then', () => {
    const lane = asking();
    const seq = question(lane);
    const at = lane.clock.now;
    lane.decides(seq, 'yes', { principal: 'ann', at }).tick(2_000).decides(seq, 'no', { principal: 'bob' });
    expect(lastReply(lane)).toMatchObject({
      outcome: 'refused',
      code: 'already_answered',
      message: `question ${seq} (q) was answered yes by ann at ${new Date(at).toISOString()}`,
      details: { choice: 'yes', principal: 'ann', at },
    });
    lane.decides(seq, 'yes', { principal: 'ann' });
    expect(lastReply(lane)).toMatchObject({ outcome: 'unchanged' });
    expect(dataOf(lane, 'EscalationAnswered')).toHaveLength(1);
  });

  it('remembers the winners of the latest questions only, and says of an older one that it is not open', () => {
    const plan = planOf(
      { id: 'e', forEach: Array.from({ length: 80 }, () => 0), window: 1, steps: [node()] },
      step('a', 'pure'),
    );
    const lane = swift().submit(plan);
    const asked: number[] = [];
    for (let index = 0; index < 79; index += 1) {
      const [seq = -1] = Object.values(lane.questions());
      asked.push(seq);
      lane.decides(seq, 'yes');
    }
    expect(lane.live().closedQuestions).toHaveLength(LIMITS.answeredMax);
    lane.decides(asked[0] ?? -1, 'no', { principal: 'bob' });
    expect(lastReply(lane)).toMatchObject({ code: 'unknown_escalation' });
    lane.decides(asked.at(-1) ?? -1, 'no', { principal: 'bob' });
    expect(lastReply(lane)).toMatchObject({ code: 'already_answered' });
  });

  it('about a doubt that was settled meanwhile is told so', () => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'unprotected'), step('z', 'pure')));
    lane.claims('run-1/a/0').say('AttemptUnknown').tick(2_000);
    const seq = question(lane, 'a');
    lane.say('AttemptSucceeded').decides(seq, 'absent');
    expect(lastReply(lane)).toMatchObject({ code: 'no_longer_asked' });
  });

  it('names the question by its number: a step may ask more than once', () => {
    const lane = asking();
    const data = { requestId: 'by step', runId: 'run-1', stepId: 'q', choice: 'yes' };
    lane.arrive(asRequested(request('AnswerEscalation', data)));
    expect(lastReply(lane)).toMatchObject({ code: 'unknown_escalation' });
    expect(lastReply(lane)?.message).toContain(`${question(lane)} (q)`);
  });
});
