import { eventually, isAlive, startKafka, type KafkaCluster } from '@holdfast/dev';
import type { Conduct } from './support/conduct.js';
import { chain, effect, plan } from './support/plans.js';
import { isStopped } from './support/processes.js';
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

/** Runs of effects one after the other, all at the same time; resolves when the first effect of each is under way. */
const underWay = async (count: number, conduct: readonly Conduct[], timeoutMs = 20_000): Promise<readonly string[]> => {
  const ids = await Promise.all(Array.from({ length: count }, () => world.runs.id('chain')));
  await Promise.all(ids.map((runId) => world.runs.submit(runId, chain('file', 3, { conduct, timeoutMs }))));
  await world.ledger.called(ids.map((runId) => `${runId}/s0`));
  return ids;
};

const endedWithEachEffectOnce = async (ids: readonly string[]): Promise<void> => {
  await Promise.all(ids.map((runId) => world.runs.ended(runId)));
  for (const runId of ids) {
    const history = await world.runs.history(runId);
    expect(history.all('RunEnded')).toMatchObject([{ data: { reason: 'succeeded', report: { conflicts: [] } } }]);
    expect(history.scheduledWhileHeld()).toEqual([]);
    for (const id of ['s0', 's1', 's2']) expect(world.ledger.entries(`${runId}/${id}`)).toHaveLength(1);
  }
};

describe('the parent of a worker is killed', () => {
  it('leaves the worker to finish what it holds, and then nothing of it', async () => {
    await world.onlyExecutors('executor-1');
    const executor = world.member('executor-1');
    const worker = executor.workerPid() ?? 0;
    const ids = await underWay(4, ['slow:700']);
    await executor.kill();
    await world.start('executor-1');
    await endedWithEachEffectOnce(ids);
    await eventually('the orphan has ended', () => !isAlive(worker), 60_000);
  });
});

describe('an executor is killed as a whole', () => {
  it('is succeeded by another, which repeats nothing and leaves nothing out', async () => {
    await world.onlyExecutors('executor-1', 'executor-2');
    const applied = await underWay(4, ['apply-hold', 'ok'], 4_000);
    const dropped = await underWay(4, ['hold-drop', 'ok'], 4_000);
    await world.member('executor-1').killWhole();
    await endedWithEachEffectOnce([...applied, ...dropped]);
  });
});

describe('an executor that sleeps past its lease', () => {
  it('does not begin on waking what another has done meanwhile', async () => {
    await world.onlyExecutors();
    const sleeper = world.member('executor-3');
    // The worker holds the claim and stops right before its call.
    await sleeper.start({ HOLDFAST_FAILPOINT: 'executor.call.before=stop' });
    const runId = await world.runs.id('sleeper');
    await world.runs.submit(runId, plan([effect('file', 'act', { timeoutMs: 4_000 })]));
    const worker = sleeper.workerPid() ?? 0;
    await eventually('the worker has stopped', () => isStopped(worker), 60_000);
    sleeper.freeze();
    await world.start('executor-2');

    const doubt = await world.runs.seen(runId, 'DoubtOpened');
    expect(doubt.data).toMatchObject({ cause: 'session_expired', holds: 'run' });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded' });
    expect(world.ledger.entries(`${runId}/act`)).toHaveLength(1);

    sleeper.thaw();
    await world.member('executor-2').killWhole();
    const after = await world.runs.run('after', chain('file', 2));
    expect(after.end).toMatchObject({ reason: 'succeeded' });
    expect(sleeper.workerPid()).toBe(worker);
    expect(await world.ledger.calls(`${runId}/act`)).toHaveLength(1);
    const history = await world.runs.history(runId);
    expect(history.all('ConflictFound')).toEqual([]);
    expect(history.all('DoubtSettled')).toMatchObject([{ data: { verdict: 'absent', by: 'reconciler' } }]);
  });

  it('settles the doubt about its call with the outcome that it brings late', async () => {
    await world.onlyExecutors('executor-1');
    const sleeper = world.member('executor-1');
    const runId = await world.runs.id('late');
    await world.runs.submit(runId, plan([effect('file', 'act', { conduct: ['wait', 'ok'], blind: 1_000 })]));
    await world.ledger.called([`${runId}/act`]);
    sleeper.freeze();
    const doubt = await world.runs.seen(runId, 'DoubtOpened');
    expect(doubt.data).toMatchObject({ cause: 'session_expired' });
    await world.ledger.release(`${runId}/act`);
    sleeper.thaw();
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', report: { applied: 1, inDoubt: [] } });

    const history = await world.runs.history(runId);
    expect(history.all('DoubtSettled')).toMatchObject([
      { data: { doubtSeq: doubt.seq, verdict: 'applied', by: 'outcome' } },
    ]);
    expect(history.all('StepSucceeded')).toMatchObject([{ data: { by: 'outcome' } }]);
    expect(await world.ledger.calls(`${runId}/act`)).toHaveLength(1);
    expect(world.ledger.entries(`${runId}/act`)).toHaveLength(1);
  });
});

describe('a worker whose thread is blocked by a tool', () => {
  it('is killed once the call is past its time, and the doubt is settled', async () => {
    await world.onlyExecutors('executor-1');
    const worker = world.member('executor-1').workerPid() ?? 0;
    const { runId, end, history } = await world.runs.run(
      'blocked',
      plan([effect('block', 'act', { timeoutMs: 1_500 })]),
    );
    expect(end).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
    expect(history.all('DoubtSettled')).toMatchObject([{ data: { verdict: 'applied', by: 'reconciler' } }]);
    expect(world.ledger.entries(`${runId}/act`)).toHaveLength(1);
    await eventually('the blocked worker is killed', () => !isAlive(worker), 60_000);
    expect((await world.runs.run('next', chain('file', 1))).end).toMatchObject({ reason: 'succeeded' });
  });
});
