import type { FakeHistory } from '../../support/fake-history.js';
import { LaneHarness, queueOf } from '../../support/lane-harness.js';
import { planOf, step } from '../../support/plans.js';

/** People are asked: with reminders, for an answer in a form, for leave to call; they answer, reject, or are silent. */
export const tellAsking = (): FakeHistory => {
  const lane = new LaneHarness().seat();
  aQuestionWithALadder(lane);
  aFreeAnswer(lane);
  silence(lane);
  approvals(lane);
  return lane.history;
};

const aQuestionWithALadder = (lane: LaneHarness): void => {
  const assignees = [
    { to: 'ann', afterMs: 0 },
    { to: 'bob', afterMs: 5_000 },
  ];
  const ask = { question: { $text: 'Ship {input.what}?' }, context: { $from: 'input' }, choices: ['yes', 'no'] };
  const plan = planOf({ id: 'ship', ask: { ...ask, assignees, remindEveryMs: 4_000 } });
  lane.submit({ ...plan, output: { $from: 'steps.ship' } }, { runId: 'ladder', input: { what: 'ü 📄' } });
  lane.tick(4_000).tick(1_000).tick(3_000);
  const question = lane.questions('ladder')['ship'] ?? -1;
  lane.decides(question, 'yes', { runId: 'ladder', note: 'it is ready', proof: { ticket: 7 } });
  lane.decides(question, 'no', { runId: 'ladder', principal: 'bob' });
};

const aFreeAnswer = (lane: LaneHarness): void => {
  const schema = { type: 'object', properties: { limit: { type: 'integer' } }, required: ['limit'] };
  lane.submit(planOf({ id: 'limit', ask: { question: 'How many?', schema } }), { runId: 'free' });
  lane.decides(lane.questions('free')['limit'] ?? -1, 'answer', { runId: 'free', value: { limit: 3 } });
};

const silence = (lane: LaneHarness): void => {
  const ask = { question: 'Go on?', choices: ['yes', 'no'], withinMs: 1_000 };
  lane.submit(planOf({ id: 'q', ask }), { runId: 'silent-end' });
  lane.submit(planOf({ id: 'q', ask: { ...ask, onSilence: 'fail' } }), { runId: 'silent-fail' });
  lane.submit(planOf({ id: 'q', ask: { ...ask, onSilence: { answer: 'no' } } }), { runId: 'silent-answer' });
  lane.tick(2_000);
};

const approvals = (lane: LaneHarness): void => {
  const plan = { ...planOf(step('pay', 'verifiable', { args: { amount: '120.00' } })) };
  const rules = [
    { tool: 'verifiable@1', when: [{ path: 'amount', is: 'above' as const, value: '100' }], usableMs: 500 },
  ];
  const decide = (runId: string, choice: string) =>
    lane.decides(lane.questions(runId)['pay'] ?? -1, choice, { runId, note: 'seen' });
  lane.submit(plan, { runId: 'rejected', approvals: rules });
  decide('rejected', 'reject');
  lane.queues = { default: queueOf({ partitions: [] }) };
  lane.submit(plan, { runId: 'approved', approvals: rules });
  decide('approved', 'approve').tick(1_000);
  lane.queues = { default: queueOf() };
  lane.tick(1);
  decide('approved', 'approve').claims('approved/pay/0', 'S9');
  lane.say('AttemptSucceeded', { runId: 'approved', step: 'pay', session: 'S9' });
};
