import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { chain, effect, namesOf, plan } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
beforeAll(async () => {
  kafka = await startKafka();
});
afterAll(() => kafka?.stop());

const killed = { code: null, signal: 'SIGKILL' } as const;

const eachEffectOnce = async (world: World, ids: readonly string[], program: ReturnType<typeof chain>) => {
  await Promise.all(ids.map((runId) => world.runs.ended(runId)));
  for (const runId of ids) {
    const history = await world.runs.history(runId);
    expect(history.all('RunEnded')).toMatchObject([{ data: { reason: 'succeeded' } }]);
    expect(history.scheduledWhileHeld()).toEqual([]);
    for (const name of namesOf(runId, program)) expect(world.ledger.entries(name)).toHaveLength(1);
  }
};

describe('a worker that dies at a named place', () => {
  const places = [
    'executor.claim.before',
    'executor.claim.after',
    'executor.call.before',
    'executor.call.after',
    'executor.outcome.before',
    'executor.outcome.after',
  ] as const;
  const executorOf = (place: string): string => `executor-${places.indexOf(place as (typeof places)[number]) + 1}`;
  let world: World;
  beforeAll(async () => {
    world = await World.open({ brokers: kafka.brokers, partitions: 12 }, ['coordinator-1', 'reconciler-1']);
    // Each executor dies at a place of its own, all in the same runs.
    const start = (place: string) => world.member(executorOf(place)).start({ HOLDFAST_FAILPOINT: `${place}:6=kill` });
    await Promise.all(places.map(start));
  });
  afterAll(() => world?.close());

  it('repeats and loses nothing, whichever place it is', async () => {
    // Calls of others are under way in a worker that dies: they bear its deaths as well.
    const program = chain('file', 6, { deathsMax: 50 });
    const ids = await Promise.all(Array.from({ length: 16 }, (_, index) => world.runs.id('run', index % 4)));
    await Promise.all(ids.map((runId) => world.runs.submit(runId, program)));
    await eachEffectOnce(world, ids, program);
    for (const place of places) expect(world.member(executorOf(place)).log()).toContain('the worker is gone');
  });
});

describe('a coordinator that dies at a named place', () => {
  const places = [
    'coordinator.append.before',
    'coordinator.append.after',
    'coordinator.publish.before',
    'coordinator.publish.after',
  ] as const;
  let world: World;
  beforeAll(async () => {
    world = await World.open({ brokers: kafka.brokers, lanes: 10 }, ['executor-1', 'reconciler-1', 'coordinator-9']);
    const start = (place: string, index: number) =>
      world.member(`coordinator-${index + 1}`).start({ HOLDFAST_FAILPOINT: `${place}:25=kill` });
    await Promise.all(places.map(start));
    await eventually(
      'every coordinator leads a lane',
      async () => {
        const names = [...places.map((_, index) => `coordinator-${index + 1}`), 'coordinator-9'];
        const reports = await Promise.all(names.map((name) => world.member(name).health()));
        return reports.every((report) => ((report?.checks['lanes']?.data as Led)?.lanes.length ?? 0) > 0);
      },
      60_000,
    );
  });
  afterAll(() => world?.close());
  type Led = { readonly lanes: readonly number[] };

  it('is succeeded, and nothing is repeated or lost, whichever place it is', async () => {
    const program = chain('file', 20);
    const ids = await Promise.all(Array.from({ length: 10 }, (_, lane) => world.runs.id('run', lane)));
    await Promise.all(ids.map((runId) => world.runs.submit(runId, program)));
    await eachEffectOnce(world, ids, program);
    for (const [index] of places.entries()) {
      expect(await world.member(`coordinator-${index + 1}`).exited).toEqual(killed);
    }
  });

  it('closes again what it may not have closed', async () => {
    const closing = ['coordinator.close.before', 'coordinator.close.after'] as const;
    const start = (place: string, index: number) =>
      world.member(`coordinator-${index + 5}`).start({ HOLDFAST_FAILPOINT: `${place}=kill` });
    await Promise.all(closing.map(start));
    // One call takes all the room there is, so that nobody takes up the other runs' calls: a cancel has to close them.
    await world.onlyExecutors();
    await world.member('executor-2').start({ HOLDFAST_CONCURRENCY: '1' });
    const ids = await Promise.all(Array.from({ length: 10 }, (_, lane) => world.runs.id('closed', lane)));
    const program = plan([effect('file', 'act', { conduct: ['hold-drop'], timeoutMs: 10_000 })]);
    await Promise.all(ids.map((runId) => world.runs.submit(runId, program)));
    await Promise.all(ids.map((runId) => world.runs.seen(runId, 'StepScheduled')));
    await Promise.all(ids.map((runId) => world.runs.cancel(runId)));
    for (const runId of ids) {
      expect(await world.runs.ended(runId)).toMatchObject({ reason: 'cancelled', report: { applied: 0 } });
      expect((await world.runs.history(runId)).all('StepScheduled')).toHaveLength(1);
    }
    for (const index of [5, 6]) expect(await world.member(`coordinator-${index}`).exited).toEqual(killed);
    await eachEffectOnce(world, [await submitted(world)], chain('file', 2));
  });
});

const submitted = async (world: World): Promise<string> => {
  const runId = await world.runs.id('after');
  await world.runs.submit(runId, chain('file', 2));
  return runId;
};
