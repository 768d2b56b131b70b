import { routes } from '@holdfast/api';
import { eventually, startKafka, startPostgres, type KafkaCluster, type PostgresServer } from '@holdfast/dev';
import { silentLogger } from '@holdfast/sdk';
import { GATEWAY_FAILPOINTS, type GatewayFailpointName } from '@holdfast/service/failpoint';
import { Database } from '../../apps/gateway/src/store/database.js';
import { differencesOnceSettled } from '../support/rows.js';
import { Gateway } from '../e2e/support/gateway.js';
import { chain } from '../e2e/support/plans.js';
import { isStopped, signal } from '../e2e/support/processes.js';
import { World } from '../e2e/support/world.js';

const LANES = 2;
let kafka: KafkaCluster;
let postgres: PostgresServer;
let world: World;
let url: string;
let database: Database;
let gateways: Gateway[];
beforeAll(async () => {
  [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
  url = postgres.url;
  world = await World.open({ brokers: kafka.brokers, lanes: LANES });
  database = new Database({ url, logger: silentLogger });
  gateways = [1, 2].map((number) => new Gateway(world, url, { HOLDFAST_SHADOW_RATE: '0' }, `gateway-${number}`));
});
afterAll(async () => {
  await Promise.all(gateways?.map(({ member }) => member.killWhole()) ?? []);
  await database?.close();
  await world?.close();
  await Promise.all([postgres?.stop(), kafka?.stop()]);
});

/** Runs on all lanes, to be ended while somebody is struck. */
const load = async (): Promise<() => Promise<void>> => {
  const ids = await world.runs.ids('run', 2 * LANES);
  await Promise.all(ids.map((runId) => world.runs.submit(runId, chain('file', 6))));
  return async () => void (await Promise.all(ids.map((runId) => world.runs.ended(runId))));
};

/** Lanes say now and then that time goes by: rows are compared at a moment at which they do not. */
const rowsEqualRebuild = async (): Promise<void> => {
  const { history: topic } = world.names;
  let found: readonly string[] = [];
  for (let tries = 0; tries < 5; tries += 1) {
    found = await differencesOnceSettled(database, { log: world.log, topic, lanes: LANES });
    if (found.length === 0) return;
  }
  expect(found).toEqual([]);
};

const projecting = (Object.keys(GATEWAY_FAILPOINTS) as GatewayFailpointName[]).filter(
  (name) => name.startsWith('gateway.write') || name.startsWith('gateway.commit'),
);
const rebuilding = (Object.keys(GATEWAY_FAILPOINTS) as GatewayFailpointName[]).filter(
  (name) => name.startsWith('gateway.rebuild') || name.startsWith('gateway.anew'),
);
const armed = (point: string, action: 'kill' | 'stop', hit = 3) => ({
  HOLDFAST_FAILPOINT: `${point}:${hit}=${action}`,
});
const [first, second] = [() => gateways[0] as Gateway, () => gateways[1] as Gateway];

describe('a gateway that is struck while it projects', () => {
  it.each(projecting)('leaves the rows of a rebuild when it is killed at %s', async (point) => {
    const { member } = first();
    const runsAreOver = await load();
    await member.launch(armed(point, 'kill'));
    await member.exited;
    await member.start();
    await runsAreOver();
    await rowsEqualRebuild();
    await member.stop(5_000);
  });

  it.each(projecting)(
    'leaves the rows of a rebuild when it is frozen at %s, and woken once another one has gone on',
    async (point) => {
      const frozen = first().member;
      await frozen.launch(armed(point, 'stop'));
      const firstOver = await load();
      await eventually('it stands still', () => frozen.running && isStopped(frozen.pid), 60_000);
      await second().member.start();
      await firstOver();
      await rowsEqualRebuild();
      const secondOver = await load();
      signal(frozen.pid, 'SIGCONT');
      await secondOver();
      await rowsEqualRebuild();
      await Promise.all([frozen.stop(5_000), second().member.stop(5_000)]);
    },
  );

  it.each(rebuilding)('leaves the rows of a rebuild when it is killed at %s', async (point) => {
    const { member } = first();
    await member.start(armed(point, 'kill', 1));
    await second().member.start();
    await rowsEqualRebuild();
    const runsAreOver = await load();
    await first()
      .ask(routes.rebuildProjections)
      .catch(() => null);
    await member.exited;
    await runsAreOver();
    await rowsEqualRebuild();
    await second().member.stop(5_000);
  });
});
