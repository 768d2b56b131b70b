import { routes } from '@holdfast/api';
import { eventually, startKafka, startPostgres, type KafkaCluster, type PostgresServer } from '@holdfast/dev';
import type { Json, Plan } from '@holdfast/programs';
import { silentLogger } from '@holdfast/sdk';
import { Database } from '../../apps/gateway/src/store/database.js';
import { Gateway } from '../e2e/support/gateway.js';
import { from, plan, step } from '../e2e/support/plans.js';
import { World } from '../e2e/support/world.js';
import { differencesOnceSettled } from '../support/rows.js';

const LANES = 4;
const LONG_MS = 600_000;
let kafka: KafkaCluster;
let postgres: PostgresServer;
let world: World;
let database: Database;
let gateways: readonly Gateway[];
beforeAll(async () => {
  [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
  world = await World.open({ brokers: kafka.brokers, lanes: LANES });
  database = new Database({ url: postgres.url, logger: silentLogger });
  const env = { HOLDFAST_SHADOW_RATE: '0', HOLDFAST_RATE_PER_MINUTE: '0' };
  gateways = [1, 2].map((number) => new Gateway(world, postgres.url, env, `gateway-${number}`));
});
afterAll(async () => {
  await Promise.all(gateways?.map(({ member }) => member.killWhole()) ?? []);
  await database?.close();
  await world?.close();
  await Promise.all([postgres?.stop(), kafka?.stop()]);
});

const one = (): Gateway => gateways[0] as Gateway;
const other = (): Gateway => gateways[1] as Gateway;
const sum = plan([step('sum', 'add', { numbers: [1, 2] })], { output: from('steps.sum.sum') });
const waiting: Plan = plan([{ id: 'child', run: { program: sum as unknown as Json, input: {} } }], {
  output: from('steps.child'),
});

/** What the database holds is what follows from the log, in all trials and whatever happened. */
const bothAgree = async (): Promise<void> => {
  let found: readonly string[] = ['nothing was compared'];
  for (let tries = 0; tries < 5 && found.length > 0; tries += 1)
    found = await differencesOnceSettled(database, { log: world.log, topic: world.names.history, lanes: LANES });
  expect(found).toEqual([]);
};

const rows = <T extends object>(text: string, values: readonly unknown[] = []) => database.query<T>(text, values);

const allEnded = (ids: readonly string[]) =>
  eventually(
    'all runs have ended, as the rows say',
    async () => {
      const text = `SELECT count(*) AS n FROM runs WHERE status = 'ended' AND run_id = ANY($1)`;
      const [counted] = await rows<{ n: number }>(text, [ids]).catch(() => []);
      return counted?.n === ids.length;
    },
    240_000,
    500,
  );

describe('case 34: running in one table, ended in another', () => {
  it(
    'a gateway that dies between the end of a run and its row says so within ten seconds of its restart',
    async () => {
      const KILLS = ['gateway.write.before', 'gateway.commit.before', 'gateway.commit.after', null, null] as const;
      const { member } = one();
      await member.start();
      for (const point of KILLS) {
        const ids = await world.runs.ids('parent', 10);
        // The end is in the log, and of the row nobody knows: it is killed in the middle, or before it has begun.
        await member.kill();
        if (point !== null) await member.launch({ HOLDFAST_FAILPOINT: `${point}:4=kill` });
        await Promise.all(ids.map((runId) => world.runs.submit(runId, waiting)));
        const ends = await Promise.all(ids.map((runId) => world.runs.ended(runId)));
        expect(ends).toEqual(ids.map(() => expect.objectContaining({ reason: 'succeeded' })));
        if (point !== null) await member.exited;
        await member.start();
        const startedAt = performance.now();
        const shown = await Promise.all(
          ids.map((runId) => one().until(routes.getRun, { params: { runId } }, ({ status }) => status === 'ended')),
        );
        expect(performance.now() - startedAt).toBeLessThan(10_000);
        for (const run of shown) await isOverOnce(run.runId);
      }
      await bothAgree();
      await member.stop(5_000);
    },
    LONG_MS,
  );

  const isOverOnce = async (runId: string): Promise<void> => {
    const history = await world.runs.history(runId);
    const [child] = history.all('ChildStarted');
    expect(history.all('ChildEnded')).toHaveLength(1);
    expect(history.all('RunEnded')).toHaveLength(1);
    const ofChild = await one().get(routes.getRun, { params: { runId: child?.data.childRunId ?? '' } });
    expect(ofChild).toMatchObject({ status: 'ended', reason: 'succeeded', output: 3 });
    const answer = await world.runs.cancel(runId);
    expect(answer).toMatchObject({ outcome: 'unchanged', code: 'run_ended' });
    const run = await one().get(routes.getRun, { params: { runId } });
    expect(run).toMatchObject({ status: 'ended', reason: 'succeeded', stepsSucceeded: 1, stepsOpen: 0 });
  };
});

describe('case 60: the handler throws and the message is gone', () => {
  it(
    'a thousand starts while the database is away for twenty seconds are a thousand runs',
    async () => {
      await Promise.all(gateways.map(({ member }) => member.start()));
      const ids = await world.runs.ids('start', 1_000);
      const began = performance.now();
      const at = (ms: number) => eventually(`${ms} ms have passed`, () => performance.now() - began >= ms, 60_000, 5);
      const starts: Promise<unknown>[] = [];
      const starting = (async () => {
        // A hundred in a second.
        for (const [index, runId] of ids.entries()) {
          await at(index * 10);
          starts.push(world.runs.submit(runId, sum));
        }
      })();
      await at(3_000);
      await postgres.kill();
      await at(10_000);
      await one().member.kill();
      await one().member.launch();
      await at(23_000);
      await postgres.restart();
      await starting;
      await Promise.all(starts);
      await allEnded(ids);
      await bothAgree();
      const [counted] = await rows<{ n: number; ended: number }>(
        `SELECT count(*) AS n, count(*) FILTER (WHERE status = 'ended') AS ended FROM runs WHERE run_id = ANY($1)`,
        [ids],
      );
      expect(counted).toEqual({ n: 1_000, ended: 1_000 });
      expect(await rows('SELECT FROM dead_letters')).toEqual([]);
      await eventually(
        'both gateways are well',
        async () => {
          const reports = await Promise.all(gateways.map(({ member }) => member.health()));
          return reports.every((report) => report?.ready === true);
        },
        60_000,
      );
    },
    LONG_MS,
  );
});

describe('case 81: between the database and the log', () => {
  it(
    'the log and the rows agree, whoever is killed between them and however long the broker is away',
    async () => {
      for (const { member } of gateways) if (!member.running) await member.start();
      const ids = await world.runs.ids('both', 200);
      const groups = Array.from({ length: 10 }, (_, index) => ids.slice(index * 20, index * 20 + 20));
      const struck = one().member;
      for (const [index, group] of groups.entries()) {
        const point = (['gateway.commit.before', 'gateway.commit.after'] as const)[index % 2] ?? '';
        if (struck.running) await struck.kill();
        await struck.start({ HOLDFAST_FAILPOINT: `${point}:2=kill` });
        // The same request again is the same run: whoever is not answered asks once more.
        await Promise.all(group.map((runId) => submitted(runId)));
        if (index === 4) await brokerAway();
      }
      if (struck.running) await struck.kill();
      await struck.start();
      await allEnded(ids);
      await bothAgree();
      const accepted = await rows<{ n: number; each: number }>(
        `SELECT count(*) AS n, count(DISTINCT run_id) AS each FROM events WHERE type = 'RunAccepted' AND run_id = ANY($1)`,
        [ids],
      );
      expect(accepted).toEqual([{ n: 200, each: 200 }]);
    },
    LONG_MS,
  );

  const submitted = async (runId: string): Promise<void> => {
    const body = { runId, program: sum, input: {}, requestId: `start ${runId}`, waitMs: 1_000 };
    await eventually(
      `${runId} is in the log`,
      async () => {
        const gateway = one().member.running ? one() : other();
        const answer = await gateway.ask(routes.submitRun, { body }).catch(() => null);
        return answer !== null && (answer.status === 200 || answer.status === 202);
      },
      120_000,
    );
  };

  const brokerAway = async (): Promise<void> => {
    await kafka.kill();
    const away = performance.now();
    const body = { runId: await Promise.resolve(`never-${away}`), program: sum, input: {} };
    // Nothing is acknowledged that is not in the log, and what is in the rows is still shown.
    const refused = await other().ask(routes.submitRun, { body });
    expect(refused).toMatchObject({ status: 503 });
    const list = await other().ask(routes.listRuns);
    expect(list.status).toBe(200);
    await eventually('a minute has passed', () => performance.now() - away >= 60_000, 90_000, 500);
    await kafka.restart();
  };
});
