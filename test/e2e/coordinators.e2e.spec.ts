import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import type { Member } from './support/member.js';
import { chain, effect, namesOf, plan } from './support/plans.js';
import { isStopped } from './support/processes.js';
import type { History } from './support/runs.js';
import { recordsOf } from './support/topics.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers }, [
    'coordinator-1',
    'coordinator-2',
    'executor-1',
    'reconciler-1',
  ]);
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

const program = chain('file', 12, { conduct: ['slow:60'] });

/** One run on each lane; resolves when each of them is in the middle. */
const inTheMiddle = async (): Promise<readonly string[]> => {
  const ids = await Promise.all([0, 1, 2, 3].map((lane) => world.runs.id('run', lane)));
  await Promise.all(ids.map((runId) => world.runs.submit(runId, program)));
  await Promise.all(ids.map((runId) => world.runs.seen(runId, 'StepSucceeded', ({ stepId }) => stepId === 's2')));
  return ids;
};

const endWithEachEffectOnce = async (ids: readonly string[]): Promise<void> => {
  await Promise.all(ids.map((runId) => world.runs.ended(runId)));
  for (const runId of ids) {
    // Reading folds the whole lane: a history that is not sound would throw here.
    const history = await world.runs.history(runId);
    expect(history.all('RunEnded')).toMatchObject([{ data: { reason: 'succeeded', report: { applied: 12 } } }]);
    for (const name of namesOf(runId, program)) expect(world.ledger.entries(name)).toHaveLength(1);
  }
};

const leads = async (coordinator: Member): Promise<number> => {
  const lanes = (await coordinator.health())?.checks['lanes']?.data as
    { readonly lanes: readonly number[] } | undefined;
  return lanes?.lanes.length ?? 0;
};

describe('coordinators that die', () => {
  it('are succeeded on their lanes by another', async () => {
    const ids = await inTheMiddle();
    await world.member('coordinator-1').kill();
    await endWithEachEffectOnce(ids);
  });

  it('go on where history stands when the only one is started again', async () => {
    const ids = await inTheMiddle();
    await world.member('coordinator-2').kill();
    await world.start('coordinator-2');
    await endWithEachEffectOnce(ids);
    expect(await world.member('coordinator-2').health()).toMatchObject({ ready: true });
  });
});

describe('a coordinator that sleeps while another takes its lanes', () => {
  it('changes nothing on waking with a batch in its hand', async () => {
    const sleeper = world.member('coordinator-3');
    // It stops right before the batch is appended.
    await sleeper.start({ HOLDFAST_FAILPOINT: 'coordinator.append.before:12=stop' });
    await eventually('it leads a lane', async () => (await leads(sleeper)) > 0, 60_000);
    const ids = await inTheMiddle();
    await eventually('the sleeper has stopped', () => isStopped(sleeper.pid), 60_000);
    await endWithEachEffectOnce(ids);
    sleeper.thaw();
    await eventually('it is of use again', async () => (await leads(sleeper)) > 0, 60_000);
    await endWithEachEffectOnce(await inTheMiddle());
    await endWithEachEffectOnce(ids);
  });
});

describe('records of history that arrive late or twice', () => {
  it('are void or repeats, counted, and change nothing', async () => {
    const runId = await world.runs.id('late', 0);
    await world.runs.submit(runId, chain('file', 1));
    await world.runs.ended(runId);
    const before = await world.runs.history(runId);
    const records = await recordsOf(world.log, world.names.history, 0);
    // All that former owners wrote comes again, and then what the present one wrote last.
    const last = records.slice(-1).map(({ key, value }) => ({ key, value }));
    const former = records.slice(0, 5).map(({ key, value }) => ({ key, value }));
    await world.log.append(world.names.history, 0, former);
    await world.log.append(world.names.history, 0, last);

    const next = await world.runs.id('next', 0);
    await world.runs.submit(next, chain('file', 2));
    expect(await world.runs.ended(next)).toMatchObject({ reason: 'succeeded', report: { applied: 2 } });
    const after = await world.runs.history(runId);
    expect(after.records).toEqual(before.records);
    const setAside = (history: History) => history.checked.void + history.checked.repeated;
    expect(setAside(after)).toBe(setAside(before) + former.length + last.length);
    for (const name of ['coordinator-2', 'coordinator-3']) {
      expect(await world.member(name).health()).toMatchObject({ ready: true });
    }
  });
});

describe('a reconciler that dies during a doubt', () => {
  it('is followed by one that asks on, and the doubt has one end', async () => {
    const runId = await world.runs.id('doubted');
    const act = effect('file', 'act', { conduct: ['apply-drop', 'ok'], blind: 6, timeoutMs: 1_500 });
    await world.runs.submit(runId, plan([act]));
    await world.runs.seen(runId, 'ProbeRecorded', ({ probe }) => probe >= 2);
    await world.member('reconciler-1').kill();
    await world.start('reconciler-1');
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
    const history = await world.runs.history(runId);
    const probes = history.all('ProbeRecorded').map(({ data }) => data.probe);
    expect(probes).toEqual(probes.map((_, index) => index + 1));
    expect(history.all('DoubtSettled')).toMatchObject([{ data: { verdict: 'applied', by: 'reconciler' } }]);
    expect(world.ledger.entries(`${runId}/act`)).toHaveLength(1);
  });

  it('at whichever place it is, is followed by one that gives the verdict', async () => {
    const reconciler = world.member('reconciler-1');
    const runId = await world.runs.id('judged');
    await reconciler.kill();
    const act = effect('file', 'act', { conduct: ['apply-drop', 'ok'], timeoutMs: 1_500 });
    await world.runs.submit(runId, plan([act]));
    for (const place of ['reconciler.ask.before', 'reconciler.verdict.before']) {
      await reconciler.launch({ HOLDFAST_FAILPOINT: `${place}=kill` });
      expect(await reconciler.exited).toEqual({ code: null, signal: 'SIGKILL' });
    }
    expect((await world.runs.history(runId)).all('DoubtSettled')).toEqual([]);
    await reconciler.launch({ HOLDFAST_FAILPOINT: 'reconciler.verdict.after=kill' });
    expect(await reconciler.exited).toEqual({ code: null, signal: 'SIGKILL' });
    // It died with its verdict in the log.
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
    await world.start('reconciler-1');
    expect((await world.runs.history(runId)).all('DoubtSettled')).toMatchObject([{ data: { verdict: 'applied' } }]);
    expect(world.ledger.entries(`${runId}/act`)).toHaveLength(1);
  });
});
