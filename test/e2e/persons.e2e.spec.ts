import { startKafka, type KafkaCluster } from '@holdfast/dev';
import { effect, from, plan } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
/** Nobody ever answers about this run in time. */
let silent: string;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers, env: { 'coordinator:HOLDFAST_ESCALATION_MS': '12000' } });
  silent = await inDoubt(true);
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

/** A run whose only machine-proof question is whether `act` was applied. */
const inDoubt = async (applied: boolean): Promise<string> => {
  const runId = await world.runs.id('asked');
  const conduct = applied ? (['apply-drop', 'ok'] as const) : (['drop', 'ok'] as const);
  const act = effect('post', 'act', { conduct, timeoutMs: 1_500 });
  await world.runs.submit(runId, plan([act], { output: from('steps.act.receipt') }));
  await world.runs.seen(runId, 'EscalationOpened');
  return runId;
};

describe('an effect that only a person can judge', () => {
  it('is taken as applied, with the result that the person gives', async () => {
    const runId = await inDoubt(true);
    await world.runs.answer(runId, { stepId: 'act', choice: 'applied', result: { receipt: 77 }, principal: 'anna' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', output: 77, report: { applied: 1 } });
    const history = await world.runs.history(runId);
    expect(history.all('EscalationAnswered')).toMatchObject([{ data: { choice: 'applied', principal: 'anna' } }]);
    expect(world.ledger.entries(`${runId}/act`)).toHaveLength(1);
    expect(await world.ledger.calls(`${runId}/act`)).toHaveLength(1);
  });

  it('is called again once a person has seen that it is absent', async () => {
    const runId = await inDoubt(false);
    await world.runs.answer(runId, { stepId: 'act', choice: 'absent' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
    expect(world.ledger.entries(`${runId}/act`)).toHaveLength(1);
    expect(await world.ledger.calls(`${runId}/act`)).toHaveLength(2);
  });

  it('is given up where a person says so; the run fails and its report names the doubt', async () => {
    const runId = await inDoubt(true);
    await world.runs.answer(runId, { stepId: 'act', choice: 'fail', note: 'cannot be found out' });
    const end = await world.runs.ended(runId);
    expect(end).toMatchObject({ reason: 'failed', report: { applied: 0, inDoubt: [{ stepId: 'act' }] } });
    expect(await world.ledger.calls(`${runId}/act`)).toHaveLength(1);
  });

  it('is not settled by an answer that was not offered, that looked too early, or to another question', async () => {
    const runId = await inDoubt(false);
    const refusal = (answer: Parameters<typeof world.runs.answer>[1]) =>
      world.runs.answer(runId, answer).then(
        () => 'accepted',
        (error: unknown) => (error as { reply?: { code?: string } }).reply?.code,
      );
    expect(await refusal({ stepId: 'act', choice: 'retry' })).toBe('choice_not_offered');
    expect(await refusal({ stepId: 'act', choice: 'absent', lookedAt: 1 })).toBe('too_early');
    expect(await refusal({ stepId: 'other', choice: 'absent' })).toBe('unknown_escalation');
    expect((await world.runs.history(runId)).all('EscalationAnswered')).toEqual([]);

    const answers = await Promise.allSettled([
      world.runs.answer(runId, { stepId: 'act', choice: 'absent' }),
      world.runs.answer(runId, { stepId: 'act', choice: 'fail' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await world.runs.ended(runId);
    expect((await world.runs.history(runId)).all('EscalationAnswered')).toHaveLength(1);
  });

  it('ends the run when nobody answers, and can still be answered then', async () => {
    const runId = silent;
    const end = await world.runs.ended(runId);
    expect(end).toMatchObject({ reason: 'escalation_expired', report: { inDoubt: [{ stepId: 'act' }] } });
    await world.runs.answer(runId, { stepId: 'act', choice: 'applied', result: { receipt: 1 } });
    const amended = await world.runs.seen(runId, 'ReportAmended');
    expect(amended.data).toMatchObject({ change: 'applied', report: { applied: 1, inDoubt: [] } });
    const history = await world.runs.history(runId);
    expect(history.types().slice(-6)).toEqual([
      'EscalationExpired',
      'RunEnded',
      'EscalationAnswered',
      'DoubtSettled',
      'StepSucceeded',
      'ReportAmended',
    ]);
    expect(await world.ledger.calls(`${runId}/act`)).toHaveLength(1);
  });
});
