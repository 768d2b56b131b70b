import { startKafka, type KafkaCluster } from '@holdfast/dev';
import { effect, from, plan, step } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers, lanes: 6, partitions: 6 }, [
    'coordinator-1',
    'coordinator-2',
    'executor-1',
    'executor-2',
    'reconciler-1',
  ]);
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

const ITEMS = 24;
const program = plan([
  {
    id: 'each',
    forEach: from('input.items'),
    window: 6,
    steps: [
      step('number', 'add', { numbers: [from('item')] }),
      {
        ...effect('file', 'file', { conduct: ['slow:60'], deathsMax: 50, timeoutMs: 5_000 }),
        args: { name: { $text: '{input.run}/{item}' }, conduct: ['slow:60'], after: from('steps.number.sum') },
      },
    ],
  },
]);

describe('a fleet that changes while calls are under way', () => {
  it('makes each effect exactly once', async () => {
    const ids = await Promise.all([0, 1, 2, 3, 4, 5].map((lane) => world.runs.id('run', lane)));
    const items = Array.from({ length: ITEMS }, (_, index) => index);
    await Promise.all(ids.map((runId) => world.runs.submit(runId, program, { input: { items } })));
    await world.ledger.called(ids.map((runId) => `${runId}/2`));

    await world.start('executor-3', 'coordinator-3', 'reconciler-2');
    await Promise.all([world.member('executor-1').stop(20_000), world.member('coordinator-1').stop(20_000)]);
    await world.member('executor-2').killWhole();
    await world.member('coordinator-2').killWhole();
    await world.member('reconciler-1').killWhole();

    for (const runId of ids) {
      const end = await world.runs.ended(runId);
      expect(end).toMatchObject({ reason: 'succeeded', report: { stepsSucceeded: 2 * ITEMS, conflicts: [] } });
      const names = items.map((item) => `${runId}/${item}`);
      for (const name of names) expect({ name, times: world.ledger.entries(name).length }).toEqual({ name, times: 1 });
      expect((await world.runs.history(runId)).scheduledWhileHeld()).toEqual([]);
    }
    expect(world.ledger.entries()).toHaveLength(ids.length * ITEMS);
  });
});
