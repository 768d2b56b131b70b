import { loadavg } from 'node:os';
import { commitOf, describeMachine } from '@holdfast/dev';
import { environmentOf, type OpenEnvironment } from '../chaos/environment/scenario.js';
import { tableOf, writeReport, type ClusterReport, type Timed } from './report.js';
import { brokersFrozen, brokersKilled, brokersRestarted, nothing, servicesRestarted } from './scenarios.js';
import { Stage } from './stage.js';

const OPEN_MS = 300_000;
const CLOSE_MS = 60_000;
const SCENARIO_MS = 600_000;

/** After how long without a word a broker counts as gone: Kafka's own time, and the shorter one of the development Kafka. */
const USUAL = { 'broker.session.timeout.ms': '9000', 'broker.heartbeat.interval.ms': '2000' };

type Staged = { readonly environment: OpenEnvironment; readonly stage: Stage };
const staged = (
  name: string,
  config: Readonly<Record<string, string>>,
  scenarios: Parameters<typeof environmentOf<Stage>>[2],
) => ({
  name,
  scenarios: Object.keys(scenarios),
  open: async (): Promise<Staged> => {
    const stage = await Stage.open(config);
    return { stage, environment: await environmentOf(name, async () => stage, scenarios).open() };
  },
});

const clusters = [
  staged('three brokers, gone after 9 s', USUAL, {
    nothing,
    'brokers restarted one after another': brokersRestarted,
    'services restarted one after another': servicesRestarted,
    'each broker killed': brokersKilled,
    'each broker frozen': brokersFrozen,
  }),
  staged(
    'three brokers, gone after 2 s',
    {},
    { 'each broker killed': brokersKilled, 'each broker frozen': brokersFrozen },
  ),
];

const told: ClusterReport['environments'][number][] = [];
afterAll(() => writeReport({ machine: describeMachine(true), commit: commitOf(), environments: told }));

describe.each(clusters)('$name, while runs of every policy go on', ({ name, open, scenarios }) => {
  const results: Timed[] = [];
  let opening: Promise<Staged>;
  beforeAll(async () => {
    opening = open();
    await opening;
  }, OPEN_MS);
  afterAll(async () => {
    process.stderr.write(tableOf(name, results));
    told.push({ name, results });
    await (await opening?.catch(() => null))?.environment.close();
  }, OPEN_MS + CLOSE_MS);

  it.each(scenarios)(
    '%s: every run succeeds, no effect is made twice, none is lost, and the rows are those of the history',
    async (scenario) => {
      const { environment, stage } = await opening;
      const loadBefore = loadavg()[0] ?? 0;
      const result = await environment.run(scenario, 1);
      process.stderr.write(`${JSON.stringify(result)}\n`);
      results.push({ ...result, loadBefore: Number(loadBefore.toFixed(1)) });
      expect(result).toMatchObject({ duplicates: 0, lost: 0, problems: [], ends: { succeeded: result.runs } });
      expect(result.effects).toBeGreaterThan(0);
      expect(await stage.differences()).toEqual([]);
      for (const { member } of stage.gateways) expect(await member.health()).toMatchObject({ ready: true });
    },
    SCENARIO_MS,
  );
});
