import { setTimeout as pause } from 'node:timers/promises';
import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { chain, namesOf } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
const services = ['coordinator-1', 'executor-1', 'reconciler-1'] as const;
beforeAll(async () => {
  kafka = await startKafka();
  world = new World({ brokers: kafka.brokers });
  await world.ledger.start();
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

const program = chain('file', 8, { conduct: ['slow:40'], deathsMax: 50 });

const inTheMiddle = async (): Promise<readonly string[]> => {
  const ids = await Promise.all([0, 1, 2, 3].map((lane) => world.runs.id('run', lane)));
  await Promise.all(ids.map((runId) => world.runs.submit(runId, program)));
  await Promise.all(ids.map((runId) => world.runs.seen(runId, 'StepSucceeded', ({ stepId }) => stepId === 's1')));
  return ids;
};

const endWithEachEffectOnce = async (ids: readonly string[]): Promise<void> => {
  for (const runId of ids) {
    const end = await eventually(`run ${runId} ends`, () => world.runs.ended(runId).catch(() => null), 100_000);
    expect(end).toMatchObject({ reason: 'succeeded', report: { applied: 8 } });
    for (const name of namesOf(runId, program)) expect(world.ledger.entries(name)).toHaveLength(1);
  }
};

describe('a broker', () => {
  it('that is not there yet is waited for: the services say so, and begin when it comes', async () => {
    await kafka.kill();
    await Promise.all(services.map((name) => world.member(name).launch()));
    for (const name of services) {
      const member = world.member(name);
      await eventually(`${name} complains`, () => /cluster|broker|Kafka/i.test(member.log()), 60_000);
      expect(member.running).toBe(true);
    }
    await kafka.restart();
    await Promise.all(services.map((name) => world.member(name).ready()));
    const { end } = await world.runs.run('first', program);
    expect(end).toMatchObject({ reason: 'succeeded' });
  });

  it('that dies in the middle and comes back has cost nothing', async () => {
    const ids = await inTheMiddle();
    await kafka.kill();
    await kafka.restart();
    await endWithEachEffectOnce(ids);
    for (const name of services) expect(world.member(name).running).toBe(true);
  });

  it('that is frozen for a while, accepting connections and answering nobody, has cost nothing', async () => {
    const ids = await inTheMiddle();
    kafka.freeze();
    await pause(6_000);
    kafka.thaw();
    await endWithEachEffectOnce(ids);
    for (const name of services) expect(world.member(name).running).toBe(true);
  });
});
