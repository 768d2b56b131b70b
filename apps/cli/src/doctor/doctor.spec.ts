import { encode, type Beat, type CatalogueEntry } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { LaneHarness } from '../../../../test/support/lane-harness.js';
import { one } from '../../../../test/support/plans.js';
import { tool } from '../../../../test/support/tools.js';
import { gateway, names, namespace, type Namespace } from '../namespace.fixture.js';
import { nodeCheck } from './environment.checks.js';
import { memberClockChecks, ownClockCheck } from './fleet.checks.js';

const LANE = laneOf('run-1', 2);
type Some = Pick<Beat, 'type' | 'data'>;
const beats = (at = Date.now()): readonly Some[] => [
  { type: 'CoordinatorBeat', data: { coordinator: 'C1', lanes: [0, 1], demand: {}, at } },
  { type: 'ReconcilerBeat', data: { reconciler: 'R1', lanes: [0, 1], at } },
  {
    type: 'ExecutorBeat',
    data: { executor: 'E1', sessions: [{ session: 'S', state: 'open' }], queues: {}, tools: ['pure@1'], at },
  },
];
const owned = { 0: new LaneHarness({ lane: 0, lanes: 2 }).seat(), 1: new LaneHarness({ lane: 1, lanes: 2 }).seat() };
const offer = (world: Awaited<ReturnType<typeof namespace>>, entry: CatalogueEntry): void => {
  const outer = { version: 1, id: 'x', source: 'test', subject: null, time: '', principal: null };
  const value = encode({ ...outer, type: 'ToolOffered', data: entry });
  world.cluster.partition(names.tools, 0).append([{ key: `${entry.name}@${entry.version}`, value }]);
};
const examined = async (
  settings: Namespace,
  before: (world: Awaited<ReturnType<typeof namespace>>) => void = () => undefined,
) => {
  const world = await namespace(settings);
  before(world);
  const exit = await world.run('--brokers', '127.0.0.1:1', 'doctor', '--json');
  const lines = world.lines();
  const of = (check: string) => lines.filter((line) => line['kind'] === 'check' && line['check'] === check);
  return { exit, lines, of, last: lines.at(-1) };
};

describe('holdfast doctor', () => {
  it('finds nothing wrong where all is well', async () => {
    const { exit, lines, of, last } = await examined({ histories: owned, beats: beats() }, (world) =>
      offer(world, tool('pure')),
    );
    expect([exit, lines.filter(({ result }) => result === 'fail')]).toEqual([0, []]);
    expect(last).toMatchObject({ kind: 'checked', fail: 0 });
    expect(of('lanes')).toMatchObject([{ result: 'ok', detail: '2 lanes owned and read' }]);
    expect(of('tools')).toMatchObject([{ result: 'ok', detail: '1 tool published, all of them served' }]);
    expect(of('queues')).toMatchObject([{ result: 'ok', detail: 'queues with their partitions: default (2)' }]);
  });

  it('names what is wrong with what to do', async () => {
    const world = await namespace({
      histories: { [LANE]: new LaneHarness({ lane: LANE, lanes: 2 }).seat().submit(one('pure')) },
    });
    expect(await world.run('--brokers', '127.0.0.1:1', 'doctor')).toBe(1);
    for (const part of [
      'fail  coordinators',
      '→ Start a coordinator: without one nothing is decided.',
      'nobody owns 2 of 2 lanes (0, 1)',
      'warn  clock',
      'warn  tools        no tool was published yet',
      'wrong.',
    ]) {
      expect(world.out()).toContain(part);
    }
  });

  it('tells that nobody serves a tool, and where a lane stands still', async () => {
    const { exit, of } = await examined({ histories: owned, beats: beats() }, (world) => {
      offer(world, tool('keyed'));
      world.cluster.partition(names.history, 0).append([{ key: null, value: Buffer.from('{}') }]);
    });
    expect(exit).toBe(1);
    expect(of('tools')).toMatchObject([{ result: 'warn', detail: 'nobody serves keyed@1' }]);
    expect(of('lanes')).toMatchObject([
      { result: 'fail', detail: expect.stringContaining('lane 0 stands still') as string },
    ]);
  });

  it('says that a namespace is not there, or that topics are other than they must be', async () => {
    const nothing = await examined({ prepared: false });
    expect([nothing.exit, nothing.of('namespace')]).toMatchObject([1, [{ result: 'fail' }]]);
    const { of } = await examined({ histories: owned }, ({ cluster }) => {
      cluster.create({ name: names.commands('slow'), partitions: 3, cleanup: 'delete', retentionMs: 1 });
    });
    expect(of('queues').length + of('topics').length).toBeGreaterThan(1);
  });

  it('looks at the configuration', async () => {
    const { of } = await examined({ env: { HOLDFAST_LANES: 'many', HOLDFAST_LANE: '3', HOLDFAST_GATEWAY: '' } });
    expect(of('environment')).toMatchObject([
      { result: 'fail', detail: expect.stringContaining('HOLDFAST_LANES: expected a whole number') as string },
      { result: 'warn', detail: expect.stringContaining('did you mean HOLDFAST_LANES?') as string },
    ]);
  });

  it('asks the gateway whether it is well', async () => {
    const health = {
      ready: false,
      reasons: ['the database does not answer'],
      version: '0',
      namespace: 'holdfast',
      lanes: 2,
    };
    const { fetch } = gateway({ 'GET /v1/health': [503, { ...health, details: {} }] });
    const world = await namespace({ fetch });
    await world.run('--gateway', 'http://g', 'doctor', '--json');
    expect(world.lines()).toContainEqual({
      kind: 'check',
      check: 'gateway',
      result: 'fail',
      detail: 'the database does not answer',
      advice: 'See its logs.',
    });
  });
});

describe('single checks', () => {
  it.each([
    ['v18.20.0', 'fail'],
    ['v20.18.9', 'fail'],
    ['v20.19.0', 'ok'],
    ['v22.0.0', 'ok'],
  ])('of Node.js %s: %s', (version, result) => expect(nodeCheck(version).result).toBe(result));

  it.each([
    [null, 'warn'],
    [200, 'ok'],
    [-1_500, 'fail'],
    [1_500, 'fail'],
  ])('of a clock that is %d ms away: %s', (offMs, result) => expect(ownClockCheck(offMs, 1_000).result).toBe(result));

  it('of the clocks of services, by their own heartbeats', () => {
    const beat = (at: number) => ({ beat: { coordinator: `C${at}`, lanes: [], demand: {}, at }, at: 10_000 });
    const fleet = {
      executors: [],
      reconcilers: [],
      ended: new Set<string>(),
      coordinators: [beat(9_990), beat(5_000)],
    };
    expect(memberClockChecks(fleet, { now: 10_500, silenceMs: 4_000, skewMs: 1_000 })).toMatchObject([
      { result: 'fail', detail: "the clock of coordinator C5000 is -5000 ms away from the broker's" },
    ]);
  });
});
