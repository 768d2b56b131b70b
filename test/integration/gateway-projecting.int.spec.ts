import { lanePlan, topicNames } from '@holdfast/contracts';
import { eventually, startKafka, startPostgres, type KafkaCluster, type PostgresServer } from '@holdfast/dev';
import { createKafkaLog, createKafkaTopics, type Log } from '@holdfast/log';
import { silentLogger, systemClock } from '@holdfast/sdk';
import { rebuildProjections } from '../../apps/gateway/src/store/rebuild.js';
import { goldens } from '../golden/golden.js';
import { GatewayBench } from '../support/gateway-bench.js';

let kafka: KafkaCluster;
let postgres: PostgresServer;
let log: Log;
beforeAll(async () => {
  [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
  log = createKafkaLog(options());
});
afterAll(async () => {
  await log.close();
  await Promise.all([kafka.stop(), postgres.stop()]);
});

/** A run lives on one lane: histories that tell of runs with the same id are not put beside each other. */
const histories: Uint8Array[][] = [];
const taken = new Set<string>();
for (const { values } of goldens()) {
  const ids = new Set(values.map((value) => (JSON.parse(value) as { subject?: string }).subject ?? ''));
  ids.delete('');
  if ([...ids].some((id) => taken.has(id))) continue;
  for (const id of ids) taken.add(id);
  histories.push(values.map((value) => new TextEncoder().encode(value)));
}
const lanes = histories.length;
let worlds = 0;
const benches: GatewayBench[] = [];
afterEach(() => Promise.all(benches.splice(0).map((bench) => bench.close())));
const options = () => ({ brokers: kafka.brokers, clientId: 'rows', logger: silentLogger });

/** A namespace and a database of its own, with a golden history in each lane. */
const world = async () => {
  const namespace = `rows${(worlds += 1)}`;
  const names = topicNames(namespace);
  await createKafkaTopics(options()).ensure([...lanePlan(names, lanes)]);
  const url = await postgres.createDatabase();
  const append = async (lane: number, values: readonly Uint8Array[]) => {
    const appended = await log.append(
      names.history,
      lane,
      values.map((value) => ({ key: null, value })),
    );
    if (appended.outcome !== 'appended') throw new Error(JSON.stringify(appended));
  };
  const gateway = (more: ConstructorParameters<typeof GatewayBench>[3] = {}) => {
    const bench = new GatewayBench(log, url, { namespace, lanes }, more);
    benches.push(bench);
    return bench;
  };
  return { names, url, append, gateway };
};

describe('projecting into Postgres', () => {
  it('makes the rows that follow from history, live and in one go, and the same after a rebuild', async () => {
    const { names, append, gateway } = await world();
    const first = gateway();
    first.holdAll();
    for (const [lane, values] of histories.entries()) {
      await append(lane, values.slice(0, Math.floor(values.length / 2)));
      await append(lane, values.slice(Math.floor(values.length / 2)));
    }
    expect(await first.settled()).toEqual([]);
    await rebuildProjections(first.database, names.history);
    await eventually('rows are made again', async () => {
      const [row] = await first.database.query<{ n: number }>('SELECT count(*) AS n FROM events');
      return (row?.n ?? 0) > 0;
    });
    expect(await first.settled()).toEqual([]);
  });

  it('lets several gateways project the same lanes, one of them killed in the middle and started again', async () => {
    const { append, gateway } = await world();
    const [one, other] = [gateway(), gateway()];
    one.holdAll();
    other.holdAll();
    for (const [lane, values] of histories.entries()) await append(lane, values.slice(0, 10));
    await other.close();
    for (const [lane, values] of histories.entries()) await append(lane, values.slice(10));
    expect(await one.settled()).toEqual([]);
    await one.close();
    const third = gateway();
    third.holdAll();
    expect(await third.settled()).toEqual([]);
  });

  it('loses nothing while the database is away, and goes on when it comes back', async () => {
    const { append, gateway } = await world();
    const first = gateway();
    first.holdAll();
    await append(0, histories[0]?.slice(0, 5) ?? []);
    await first.settled();
    await postgres.kill();
    await append(0, histories[0]?.slice(5) ?? []);
    for (const [lane, values] of histories.entries()) if (lane > 0) await append(lane, values);
    await eventually('the projector says so', () => first.projecting.status().troubles.size > 0);
    await postgres.restart();
    expect(await first.settled()).toEqual([]);
    await eventually('nothing is wrong any more', () => first.projecting.status().troubles.size === 0);
  });
});

describe('the shadow check', () => {
  it('finds rows that are other ones than history makes them, at the first record that differs', async () => {
    const { append, gateway } = await world();
    const first = gateway({ shadowRate: 1_000_000 });
    first.holdAll();
    for (const [lane, values] of histories.entries()) await append(lane, values);
    expect(await first.settled()).toEqual([]);
    const shadow = () => first.projecting.status().shadow;
    const passed = async () => {
      const before = shadow().passes;
      await eventually('all lanes are compared', () => shadow().passes > before + lanes + 1, 60_000);
    };
    await passed();
    expect(shadow().differences).toEqual([]);

    await first.database.query(`UPDATE events SET data = '{}' WHERE lane = 0 AND seq = 5`);
    const [[gone] = []] = await first.database.query<{ offset: number }[]>(
      `DELETE FROM runs WHERE run_id = (SELECT min(run_id) FROM runs WHERE lane = 1) RETURNING "offset"`,
    );
    await first.database.query(`INSERT INTO steps SELECT 'nobody', step_id, lane, "offset", first_seq, tool, policy,
      status, attempts, tries, scheduled_at, ended_at, ended_seq, failure FROM steps WHERE lane = 2 LIMIT 1`);
    await passed();
    const found = shadow().differences.toSorted((a, b) => a.lane - b.lane);
    expect(found).toMatchObject([
      { lane: 0, offset: 5, table: 'events', key: '0\n5', what: expect.stringContaining('data is {}') },
      { lane: 1, offset: gone?.offset, table: 'runs', what: 'it is not there' },
      { lane: 2, table: 'steps', what: expect.stringMatching(/^there are \d+ rows of the lane, not \d+$/) },
    ]);

    await first.projecting.rebuild();
    await passed();
    expect(await first.settled()).toEqual([]);
    await passed();
    expect(shadow().differences).toEqual([]);
  });

  it('passes over runs that were deleted since they ended long ago, and finds others that are gone', async () => {
    const { append, gateway } = await world();
    // What was just appended is an hour old by this clock.
    const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
    const first = gateway({ shadowRate: 1_000_000, retentionMs: 60_000, clock });
    first.holdAll();
    for (const [lane, values] of histories.entries()) await append(lane, values);
    await first.settled();
    const ofLanes = () => first.database.query('SELECT FROM events WHERE run_id IS NULL');
    expect(await ofLanes()).not.toEqual([]);
    await first.projecting.retain();
    const left = await first.database.query(`SELECT FROM runs WHERE status = 'ended'`);
    expect(left).toEqual([]);
    const orphans = await first.database.query('SELECT FROM events WHERE run_id NOT IN (SELECT run_id FROM runs)');
    expect(orphans).toEqual([]);
    expect(await ofLanes()).toEqual([]);
    const shadow = () => first.projecting.status().shadow;
    await eventually('all lanes are compared', () => shadow().passes > lanes + 1, 60_000);
    expect(shadow().differences).toEqual([]);
    await first.database.query('DELETE FROM runs WHERE run_id = (SELECT min(run_id) FROM runs)');
    await eventually('it is found', () => shadow().differences.length === 1, 60_000);
  });
});
