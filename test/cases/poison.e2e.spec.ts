import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { laneOf } from '@holdfast/events';
import { badRecords, badRunIds, cloudEvent } from '../e2e/support/bad-records.js';
import { chain, effect, plan, step } from '../e2e/support/plans.js';
import { put, recordsOf } from '../e2e/support/topics.js';
import { World } from '../e2e/support/world.js';
import { Onlooker } from './support/onlooker.js';
import { deathsOf, keysOf, succeededWithEachOnce } from './support/outcomes.js';
import { ordersIn } from './support/records.js';

const LANES = 4;
const LEASE_MS = 3_000;
let kafka: KafkaCluster;
/** One world has a queue of one partition, the other of three. */
let narrow: Onlooker;
let wide: Onlooker;
beforeAll(async () => {
  kafka = await startKafka();
  const open = async (partitions: number, ...services: readonly string[]) =>
    Onlooker.of(await World.open({ brokers: kafka.brokers, lanes: LANES, partitions }, services));
  [narrow, wide] = await Promise.all([
    open(1, 'coordinator-1', 'reconciler-1', 'executor-1'),
    open(3, 'coordinator-1', 'reconciler-1', 'executor-1', 'executor-2', 'executor-3'),
  ]);
});
afterAll(async () => {
  await Promise.all([narrow?.world.close(), wide?.world.close()]);
  await kafka?.stop();
});

// Elsewhere such a message is thrown away into a store of dead ones. Here it is a question to a person, and what the
// person decides is the end of the run.
describe('case 58: the run that kills its worker', () => {
  const poison = plan([effect('file', 'first'), step('second', 'crash', {}, { after: ['first'] })]);

  it('is put to a person after the third death, and the thirty beside it all succeed', async () => {
    const { world } = wide;
    const bad = await world.runs.id('poison');
    await world.runs.submit(bad, poison);
    const good = await world.runs.ids('good', 30);
    await Promise.all(good.map((runId) => world.runs.submit(runId, chain('file', 3, { deathsMax: 50 }))));
    const question = await world.runs.seen(bad, 'EscalationOpened');
    expect(question.data).toMatchObject({ stepId: 'second', kind: 'quarantine', choices: ['retry', 'fail'] });
    expect(question.data.question).toContain('lost its worker 3 times');
    for (const runId of good) await succeededWithEachOnce(wide, runId, ['s0', 's1', 's2']);
    await world.runs.answer(bad, { stepId: 'second', choice: 'fail' });
    expect(await world.runs.ended(bad)).toMatchObject({ reason: 'failed' });
    expect(deathsOf(wide, [bad])).toEqual(Array(3).fill(`${bad}/second`));
    expect(world.ledger.entries(`${bad}/first`)).toHaveLength(1);
  });

  it('can be cancelled between two deaths, within its bound', async () => {
    const { world } = wide;
    const runId = await world.runs.id('poison');
    await world.runs.submit(runId, plan([step('second', 'crash', {}, { deathsMax: 100 })]));
    await world.runs.seen(runId, 'DoubtOpened');
    await world.runs.cancel(runId, { withinMs: 5_000 });
    const end = await world.runs.ended(runId);
    expect(end).toMatchObject({ reason: 'cancelled' });
    const history = await world.runs.history(runId);
    const [cancelled] = history.all('CancelRequested');
    expect(end.endedAt).toBeLessThan((cancelled?.data.deadlineAt ?? 0) + LEASE_MS);
    const later = history.all('StepScheduled').filter(({ seq }) => seq > (cancelled?.seq ?? 0));
    expect(later).toEqual([]);
  });

  it('is not what a stop in order looks like: such an end counts no death', async () => {
    const { world } = narrow;
    const runId = await world.runs.id('restart');
    await world.runs.submit(
      runId,
      plan([effect('file', 'act', { conduct: ['hold-drop', 'hold-drop', 'ok'], deathsMax: 1 })]),
    );
    for (const stops of [1, 2]) {
      await world.ledger.called([`${runId}/act`], stops);
      await world.member('executor-1').stop(20_000);
      await world.start('executor-1');
    }
    await succeededWithEachOnce(narrow, runId, ['act']);
    expect(deathsOf(narrow, [runId])).toEqual([]);
  });
});

describe('case 59: one message blocks its partition', () => {
  it('costs its own run its tries, also over a restart, and nobody else anything', async () => {
    const { world } = narrow;
    const ids = await world.runs.ids('many', 20);
    const [, , bad = ''] = ids;
    const retry = { triesMax: 5, backoffMs: 300 };
    // What the kill cuts off is known to be absent soon after its deadline.
    const short = { timeoutMs: 3_000 };
    const failing = plan([
      effect('observe', 'throws', { ...short, conduct: ['refuse'], retry }),
      effect('file', 'behind', { ...short, after: ['throws'] }),
      ...['s1', 's2', 's3'].map((id) => effect('file', id, short)),
    ]);
    const good = plan(['s0', 's1', 's2', 's3', 's4'].map((id) => effect('file', id, short)));
    await Promise.all(ids.map((runId) => world.runs.submit(runId, runId === bad ? failing : good)));
    await eventually(
      'it has failed three times',
      async () => (await keysOf(world, `${bad}/throws`)).length >= 3,
      60_000,
    );
    world.member('executor-1').killWorker();

    for (const runId of ids)
      if (runId !== bad) await succeededWithEachOnce(narrow, runId, ['s0', 's1', 's2', 's3', 's4']);
    const end = await world.runs.ended(bad);
    expect(end).toMatchObject({ reason: 'failed', detail: expect.stringContaining('throws') });
    const history = await world.runs.history(bad);
    const failed = history.all('StepFailed', 'throws');
    expect(failed.at(-1)).toMatchObject({ data: { final: true, failure: { code: 'http_503' } } });
    expect(failed).toHaveLength(retry.triesMax);
    // One that the kill has cut off is made again: it has said nothing.
    expect((await keysOf(world, `${bad}/throws`)).length).toBeLessThanOrEqual(retry.triesMax + 1);
    // What depends on it never begins; what was beside it goes on to its end.
    expect(world.ledger.entries(`${bad}/behind`)).toEqual([]);
    for (const id of ['s1', 's2', 's3']) expect(world.ledger.entries(`${bad}/${id}`)).toHaveLength(1);
  });
});

describe('case 61: a throw on one partition disturbs the others', () => {
  it('does not: what is under way there goes on, and the one that throws is tried again alone', async () => {
    const { world } = wide;
    await world.onlyExecutors('executor-1');
    const ids = await world.runs.ids('apart', 6, 0);
    const [bad = '', ...good] = ids;
    const slow = plan([effect('post', 'post', { conduct: ['slow:4000'] })]);
    await Promise.all(good.map((runId) => world.runs.submit(runId, slow)));
    await world.ledger.called(good.map((runId) => `${runId}/post`));
    const conduct = ['refuse', 'refuse', 'refuse', 'ok'] as const;
    const retry = { triesMax: 5, backoffMs: 50 };
    await world.runs.submit(bad, plan([effect('file', 'throws', { conduct, retry })]));
    await succeededWithEachOnce(wide, bad, ['throws']);
    expect(await keysOf(world, `${bad}/throws`)).toHaveLength(conduct.length);
    for (const runId of good) {
      const { history } = await succeededWithEachOnce(wide, runId, ['post']);
      expect(history.all('DoubtOpened')).toEqual([]);
      expect(await keysOf(world, `${runId}/post`)).toHaveLength(1);
    }
    const used = (await ordersIn(world, 3))
      .filter(({ runId }) => ids.includes(runId))
      .map(({ orderedAt }) => orderedAt);
    expect(new Set(used).size).toBeGreaterThan(1);
  });
});

describe('case 62: empty, broken and strange records', () => {
  const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
  const strange = [
    { about: 'a mark of the byte order', value: Buffer.concat([BOM, Buffer.from('{')]), code: 'not_json' },
    {
      about: 'a name with an emoji and a line end',
      value: cloudEvent('CancelRun', { requestId: 'r', runId: '🎉\n' }),
      code: 'invalid_data',
    },
  ];
  const doors = [
    { door: 'requests', records: [...badRecords('CancelRun'), ...badRunIds, ...strange] },
    { door: 'commands', records: [...badRecords('ExecuteSteps'), ...strange.slice(0, 1)] },
  ] as const;

  it.each(doors)(
    'end nobody: each is kept with its bytes and reason, and each good $door between them counts',
    async ({ door, records }) => {
      const { world } = narrow;
      const lane = 2;
      const place =
        door === 'requests'
          ? { topic: world.names.requests, partition: lane }
          : { topic: world.names.commands('default'), partition: 0 };
      const pids = () => ['coordinator-1', 'executor-1', 'reconciler-1'].map((name) => world.member(name).pid);
      const before = [...pids(), world.member('executor-1').workerPid()];
      const good: string[] = [];
      for (const { value } of records) {
        const runId = await world.runs.id('between', lane);
        // Without a key and without a header, as one who knows nothing of Holdfast would write it.
        const data = { requestId: runId, runId, program: chain('file', 1), input: { run: runId } };
        await put(
          world.log,
          { topic: world.names.requests, partition: laneOf(runId, LANES) },
          { value: cloudEvent('SubmitRun', data) },
        );
        await put(world.log, place, { value });
        good.push(runId);
      }
      for (const runId of good) await succeededWithEachOnce(narrow, runId, ['s0']);
      const letters = await eventually(
        'all of them are set aside',
        async () => {
          const found = (await recordsOf(world.log, world.names.deadLetters, place.partition)).filter(
            ({ headers }) => headers['dead-letter-topic'] === place.topic,
          );
          return found.length >= records.length ? found : null;
        },
        60_000,
      );
      const told = letters.map(({ value, headers }) => [
        headers['dead-letter-code'],
        value === null ? null : Buffer.from(value),
      ]);
      expect(told).toEqual(records.map(({ code, value }) => [code, value === null ? null : Buffer.from(value)]));
      expect([...pids(), world.member('executor-1').workerPid()]).toEqual(before);
    },
  );
});
