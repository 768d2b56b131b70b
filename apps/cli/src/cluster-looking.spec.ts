import { deadLetter } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { LaneHarness } from '../../../test/support/lane-harness.js';
import { one } from '../../../test/support/plans.js';
import { names, namespace, type Namespace } from './namespace.fixture.js';

const LANE = laneOf('run-1', 2);
const reason = { code: 'not_json', detail: 'it is no JSON', by: 'C1', at: Date.UTC(2026, 0, 2) };
const letter = (topic: string, text: string) =>
  deadLetter({ key: 'k', value: Buffer.from(text), offset: 7 }, { topic, partition: 1 }, reason);
const executor = (at = Date.now()): NonNullable<Namespace['beats']>[number] => ({
  type: 'ExecutorBeat',
  data: {
    executor: 'E1',
    sessions: [{ session: 'S1', state: 'open' }],
    queues: { default: { partitions: [0, 1], slots: 32, free: 30 } },
    tools: ['pay@1'],
    at,
  },
});

describe('executors', () => {
  it('are shown with what they serve', async () => {
    const { run, out } = await namespace({ beats: [executor()] });
    expect(await run('executors')).toBe(0);
    expect(out()).toMatch(/E1 +alive +\S+ m?s ago +S1 open +default\[0,1\] 30\/32 free +pay@1/);
  });

  it('are gone when their sessions are', async () => {
    const ended = {
      type: 'SessionEnded',
      data: { executor: 'E1', session: 'S1', cause: 'exited', endedAt: 1 },
    } as const;
    const { run, lines } = await namespace({ beats: [executor(), ended] });
    await run('executors', '--json');
    expect(lines()).toMatchObject([{ kind: 'executor', executor: 'E1', alive: false, sessions: [{ state: 'ended' }] }]);
  });

  it('are said to be none', async () => {
    const { run, out } = await namespace();
    await run('executors');
    expect(out()).toBe('No executor was heard of lately: start one.\n');
  });
});

describe('lanes', () => {
  const history = () => new LaneHarness({ lane: LANE, lanes: 2 }).seat().submit(one('verifiable'));
  it('are shown with owner, epoch, end and what is not read yet', async () => {
    const world = await namespace({ histories: { [LANE]: history() } });
    world.cluster.partition(names.journal, LANE).append([{ key: null, value: Buffer.from('x') }]);
    expect(await world.run('lanes', '--json')).toBe(0);
    const lane = world.lines()[LANE];
    expect(lane).toMatchObject({
      kind: 'lane',
      lane: LANE,
      owner: 'C1',
      epoch: 1,
      runsOpen: 1,
      projected: null,
      broken: null,
    });
    expect(lane).toMatchObject({ end: history().history.values.length, inputs: { journal: 1, verdicts: 0 } });
  });

  it('that are broken are named with why, and that is no success', async () => {
    const world = await namespace();
    world.cluster.partition(names.history, 0).append([{ key: null, value: Buffer.from('{}') }]);
    expect(await world.run('lanes')).toBe(1);
    expect(world.out()).toContain('Lane 0 stands still: history of lane 0');
  });
});

describe('dead letters', () => {
  const letters = [letter(names.requests, '{"a":'), letter(names.journal, '\u001b[31mred')];

  it('are listed with where they come from and why', async () => {
    const { run, out } = await namespace({ letters });
    expect(await run('dead-letters')).toBe(0);
    expect(out()).toMatch(/1\/0 +holdfast\.run-requests\/1 at 7 +\S.* 5 +never +not_json: it is no JSON/);
    const some = await namespace({ letters });
    await some.run('dead-letters', '--topic', names.journal, '--json');
    expect(some.lines().map(({ id }) => id)).toEqual(['1/1']);
  });

  it('are shown whole, and do nothing to a terminal', async () => {
    const { run, out } = await namespace({ letters });
    expect(await run('dead-letters', '1/1')).toBe(0);
    expect(out()).toContain('utf8, 8 bytes:\n�[31mred\n');
    const json = await namespace({ letters });
    await json.run('dead-letters', '1/0', '--json');
    expect(json.lines()).toMatchObject([{ kind: 'deadLetter', id: '1/0', value: { encoding: 'utf8', text: '{"a":' } }]);
  });

  it('that were requests are sent again, with who has asked for it', async () => {
    const world = await namespace({ letters });
    expect(await world.run('--as', 'ann', 'dead-letters', '1/0', '--send-again')).toBe(0);
    expect(world.out()).toContain('is in holdfast.run-requests/1 again, at 0; noted for ann');
    await world.run('dead-letters', '1/0');
    expect(world.out()).toContain('Sent again 1 times, last by ann.');
  });

  it.each([
    [['1/1', '--send-again'], 2, 'only requests are sent again'],
    [['1/9'], 4, 'there is no dead letter 1/9'],
    [['9/9'], 4, 'there is no dead letter 9/9'],
    [['9/9', '--send-again'], 4, 'there is no dead letter 9/9'],
    [['x'], 2, 'x is no dead letter'],
    [['--send-again'], 2, '--send-again needs a dead letter'],
  ])('%j ends with %d: %s', async (args, exit, said) => {
    const { run, err } = await namespace({ letters });
    expect(await run('dead-letters', ...args)).toBe(exit);
    expect(err()).toContain(said);
  });
});
