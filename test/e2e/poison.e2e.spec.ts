import { startKafka, type KafkaCluster } from '@holdfast/dev';
import { chain, effect, plan, step } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers }, ['coordinator-1', 'reconciler-1']);
});
// Who has lost many workers waits longer and longer before it starts the next: each test has an executor of its own.
beforeEach(() => world.start('executor-1'));
afterEach(() => world.onlyExecutors());
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

/** Good runs beside the bad one, on every lane. They share its worker. */
const neighbours = async (): Promise<readonly string[]> => {
  const ids = await Promise.all([0, 1, 2, 3].map((lane) => world.runs.id('good', lane)));
  await Promise.all(ids.map((runId) => world.runs.submit(runId, chain('file', 3))));
  return ids;
};

const areUnharmed = async (ids: readonly string[]): Promise<void> => {
  for (const runId of ids) {
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded' });
    for (const id of ['s0', 's1', 's2']) expect(world.ledger.entries(`${runId}/${id}`)).toHaveLength(1);
  }
};

describe('a step that kills its worker each time', () => {
  it('is quarantined after its third death while all else goes on; a person ends it', async () => {
    const runId = await world.runs.id('poison');
    const program = plan([step('kills', 'crash', {}), effect('file', 'fine'), step('pure', 'add', { numbers: [2] })]);
    await world.runs.submit(runId, program);
    const good = await neighbours();
    const question = await world.runs.seen(runId, 'EscalationOpened');
    expect(question.data).toMatchObject({ stepId: 'kills', kind: 'quarantine', choices: ['retry', 'fail'] });
    expect(question.data.question).toContain('lost its worker 3 times');
    await world.runs.seen(runId, 'StepSucceeded', ({ stepId }) => stepId === 'fine');
    await world.runs.seen(runId, 'StepSucceeded', ({ stepId }) => stepId === 'pure');
    await areUnharmed(good);

    await world.runs.answer(runId, { stepId: 'kills', choice: 'fail', note: 'it is broken' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'failed', report: { applied: 1 } });
    const history = await world.runs.history(runId);
    const deaths = history.all('DoubtOpened', 'kills');
    expect(deaths).toHaveLength(3);
    expect(deaths.every(({ data }) => data.death && data.cause === 'session_ended')).toBe(true);
    expect(history.all('StepFailed', 'kills')).toMatchObject([{ data: { final: true } }]);
    expect(world.ledger.entries(`${runId}/fine`)).toHaveLength(1);
  });

  it('is asked about each time where it may have had an effect, and quarantined as well', async () => {
    const runId = await world.runs.id('poison-effect');
    const name = `${runId}/kills`;
    await world.runs.submit(runId, plan([step('kills', 'crash-file', { name })]));
    const question = await world.runs.seen(runId, 'EscalationOpened', ({ doubtSeq }) => doubtSeq === null);
    expect(question.data).toMatchObject({ kind: 'quarantine', choices: ['retry', 'fail'] });
    await world.runs.answer(runId, { escalation: question.seq, choice: 'fail' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'failed', report: { applied: 0, inDoubt: [] } });
    const history = await world.runs.history(runId);
    expect(history.all('DoubtSettled').map(({ data }) => data.verdict)).toEqual(['absent', 'absent', 'absent']);
    expect(world.ledger.entries(name)).toEqual([]);
  });

  it('is not run a fourth time where it is pure either', async () => {
    const runId = await world.runs.id('poison-pure');
    const good = await neighbours();
    await world.runs.submit(runId, plan([step('kills', 'crash-pure', {})]));
    await world.runs.seen(runId, 'StepFailed', ({ failure }) => failure.code === 'worker_died');
    const question = await world.runs.seen(runId, 'EscalationOpened');
    expect(question.data).toMatchObject({ kind: 'quarantine', choices: ['retry', 'fail'] });
    await areUnharmed(good);
    await world.runs.answer(runId, { stepId: 'kills', choice: 'fail' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'failed' });
  });
});
