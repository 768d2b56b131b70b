import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import type { Plan, PlanAsk } from '@holdfast/programs';
import { effect, from, plan } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers });
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

const COORDINATOR = 'coordinator-1';
const paying: Plan = plan([effect('post', 'pay')], { approvals: [{ tool: 'post' }] });
const asking = (ask: Partial<PlanAsk['ask']> = {}): Plan =>
  plan([{ id: 'q', ask: { question: { $text: 'Go on with {input.run}?' }, choices: ['yes', 'no'], ...ask } }], {
    output: from('steps.q'),
  });

/** A run and its question, as whoever follows the history sees it. */
const asked = async (program: Plan) => {
  const runId = await world.runs.id('asks');
  await world.runs.submit(runId, program);
  const { seq, data } = await world.runs.seen(runId, 'EscalationOpened');
  return { runId, seq, data };
};

const refusal = (runId: string, answer: Parameters<typeof world.runs.answer>[1]) =>
  world.runs.answer(runId, answer).then(
    () => 'accepted',
    (error: unknown) => (error as { reply?: { code?: string } }).reply?.code,
  );

describe('a person who is asked', () => {
  it('answers a question, and the answer is the result', async () => {
    const { runId, seq, data } = await asked(asking());
    expect(data).toMatchObject({ kind: 'question', question: `Go on with ${runId}?` });
    await world.runs.answer(runId, { escalation: seq, choice: 'no', principal: 'anna' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', output: 'no' });
  });

  it('approves a call, and it is made once, by whoever coordinates then', async () => {
    const { runId, seq, data } = await asked(paying);
    expect(data).toMatchObject({ kind: 'approval', context: { tool: 'post@1', args: { name: `${runId}/pay` } } });
    expect(world.ledger.entries(`${runId}/pay`)).toHaveLength(0);
    await world.member(COORDINATOR).kill();
    await world.start(COORDINATOR);
    const answers = await Promise.allSettled([
      world.runs.answer(runId, { escalation: seq, choice: 'approve', principal: 'anna' }),
      world.runs.answer(runId, { escalation: seq, choice: 'approve', principal: 'bert' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
    expect(await refusal(runId, { escalation: seq, choice: 'reject', principal: 'cleo' })).toBe('already_answered');
    const history = await world.runs.history(runId);
    expect(history.all('StepScheduled')).toMatchObject([{ data: { approvalSeq: seq } }]);
    expect(world.ledger.entries(`${runId}/pay`)).toHaveLength(1);
    expect(await world.ledger.calls(`${runId}/pay`)).toHaveLength(1);
  });

  it('rejects a call, and it is never made', async () => {
    const { runId, seq } = await asked(paying);
    await world.runs.answer(runId, { escalation: seq, choice: 'reject', note: 'wrong account' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'failed' });
    expect(await world.ledger.calls(`${runId}/pay`)).toHaveLength(0);
  });

  it('is heard when they answered in time, although nobody was there to read it until later', async () => {
    const { runId, seq, data } = await asked(asking({ withinMs: 4_000 }));
    await world.member(COORDINATOR).kill();
    const answer = world.runs.answer(runId, { escalation: seq, choice: 'yes', principal: 'anna' });
    await eventually('the time is over', () => Date.now() > data.expiresAt + 2_000);
    await world.start(COORDINATOR);
    expect(await answer).toMatchObject({ outcome: 'accepted' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', output: 'yes' });
    const history = await world.runs.history(runId);
    const [given] = history.all('EscalationAnswered');
    expect(given?.data.givenAt).toBeLessThan(data.expiresAt);
    expect(history.all('EscalationExpired')).toEqual([]);
  });

  it('is too late otherwise, and nobody is named', async () => {
    const { runId, seq } = await asked(asking({ withinMs: 500 }));
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'escalation_expired' });
    expect(await refusal(runId, { escalation: seq, choice: 'yes' })).toBe('expired');
  });
});
