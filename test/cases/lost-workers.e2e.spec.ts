import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import type { Conduct } from '../e2e/support/conduct.js';
import { effect, from, plan, step } from '../e2e/support/plans.js';
import { World } from '../e2e/support/world.js';
import { deathsOf, keysOf, served, soundEnd, succeededWithEachOnce } from './support/outcomes.js';
import { Onlooker } from './support/onlooker.js';
import { successesOf } from './support/records.js';
import { Turns } from './support/turns.js';
import { Weather } from './support/weather.js';

const LANES = 6;
let kafka: KafkaCluster;
/** Two worlds side by side: in one of them executors sleep and are killed whole, in the other workers die in crowds. */
let quiet: Onlooker;
let crowded: Onlooker;
const inQuiet = new Turns();
const inCrowd = new Turns();
beforeAll(async () => {
  kafka = await startKafka();
  const open = async (...executors: readonly string[]) => {
    const services = ['coordinator-1', 'reconciler-1', ...executors];
    return Onlooker.of(await World.open({ brokers: kafka.brokers, lanes: LANES, partitions: 6 }, services));
  };
  quiet = await open('executor-1', 'executor-2');
  void inQuiet.begin(quiet);
  crowded = await open('executor-1');
  void inCrowd.begin(crowded);
});
afterAll(async () => {
  await Promise.all([quiet?.world.close(), crowded?.world.close()]);
  await kafka?.stop();
});

// Elsewhere a worker that cannot answer is taken for dead. Here its parent answers for it, so a busy thread costs no
// lease, and an outcome that comes late is the outcome.
describe('case 21: a worker whose thread is busy', () => {
  it(
    'keeps its call for twice its lease and more; nobody else makes it, and its outcome counts',
    inQuiet.play(async (onlooker) => {
      const { world } = onlooker;
      const runId = await world.runs.id('busy');
      const burn = effect('burn', 'post');
      const args = { name: { $text: '{input.run}/post' }, busyMs: 5_000 };
      await world.runs.submit(runId, plan([{ ...burn, args }, effect('file', 'next', { after: ['post'] })]));
      const { history } = await succeededWithEachOnce(onlooker, runId, ['post', 'next']);
      expect(await keysOf(world, `${runId}/post`)).toHaveLength(1);
      expect(history.all('DoubtOpened')).toEqual([]);
      expect(history.all('StepSucceeded', 'post')).toMatchObject([{ data: { attempt: 0, by: 'outcome' } }]);
    }),
  );
});

// Elsewhere a late answer is thrown away. Here it counts: the holder of the claim is the best witness there is, and what
// it says cannot be a second effect, since a tool with a key drops the repeat.
describe('case 2: a call that lasts longer than the lease', () => {
  it(
    'is one call when nothing fails',
    inQuiet.play(async (onlooker) => {
      const { world } = onlooker;
      const runId = await world.runs.id('slow');
      await world.runs.submit(runId, plan([effect('pay', 'pay', { conduct: ['slow:5000'] })]));
      const { history } = await succeededWithEachOnce(onlooker, runId, ['pay']);
      expect(history.all('StepScheduled')).toHaveLength(1);
      expect(await keysOf(world, `${runId}/pay`)).toHaveLength(1);
    }),
  );

  const isTaken = (fault: 'frozen' | 'cut off from the broker') =>
    inQuiet.play(async (onlooker) => {
      const { world } = onlooker;
      const sleeper = world.member('executor-3');
      const weather = new Weather(world.folder, sleeper.name);
      if (!sleeper.running) await sleeper.start(weather.env);
      await world.onlyExecutors('executor-3');
      const runId = await world.runs.id('slow', 0);
      await world.runs.submit(runId, plan([effect('pay', 'pay', { conduct: ['wait', 'ok'] })]));
      await world.ledger.called([`${runId}/pay`]);
      if (fault === 'frozen') sleeper.freeze();
      else weather.cutOff(true);
      await world.start('executor-2');

      await world.runs.seen(runId, 'DoubtOpened', ({ cause }) => cause === 'session_expired');
      await world.ledger.called([`${runId}/pay`], 2);
      await world.ledger.release(`${runId}/pay`);
      if (fault === 'frozen') sleeper.thaw();
      else weather.cutOff(false);
      await eventually(
        'both answers are in the journal',
        async () => (await successesOf(world, runId, 0)).toSorted().join() === 'pay/0,pay/1',
        60_000,
      );

      const after = await world.runs.run('after', plan([effect('file', 'act')]));
      expect(after.end.reason).toBe('succeeded');
      const { history } = await succeededWithEachOnce(onlooker, runId, ['pay']);
      const keys = await keysOf(world, `${runId}/pay`);
      expect(keys).toHaveLength(2);
      expect(new Set(keys).size).toBe(1);
      expect(history.all('StepSucceeded')).toHaveLength(1);
      expect(history.all('DoubtSettled')).toMatchObject([{ data: { verdict: 'applied', by: 'outcome' } }]);
    });
  it.each([
    ['cut off from the broker', isTaken('cut off from the broker')],
    ['frozen', isTaken('frozen')],
  ])('is at most one more call with the same key when its worker is %s; the late answer is kept', (_, played) =>
    played(),
  );
});

describe('case 10: a payment that is made again and again', () => {
  it(
    'carries one key through a kill, a lost connection, another kill and three workers, and is paid once',
    inQuiet.play(async (onlooker) => {
      const { world } = onlooker;
      await world.onlyExecutors('executor-2');
      const runId = await world.runs.id('order');
      const conduct = ['apply-hold', 'apply-drop', 'apply-hold', 'ok'] as const;
      const charge = effect('pay', 'charge', { conduct, timeoutMs: 3_000, deathsMax: 10 });
      await world.runs.submit(runId, plan([charge], { output: from('steps.charge.receipt') }));
      await world.ledger.called([`${runId}/charge`]);
      await world.member('executor-2').killWhole();
      await world.start('executor-1');
      await world.ledger.called([`${runId}/charge`], 3);
      world.member('executor-1').killWorker();

      const { end } = await succeededWithEachOnce(onlooker, runId, ['charge']);
      expect(end.output).toBe(world.ledger.entries(`${runId}/charge`)[0]?.receipt);
      const keys = await keysOf(world, `${runId}/charge`);
      expect(keys).toHaveLength(conduct.length);
      expect(new Set(keys).size).toBe(1);
    }),
  );
});

describe('case 15: one recipient of thirteen cannot be reached', () => {
  it(
    'is told apart from the twelve others, who get one mail each although a worker died in the middle',
    inQuiet.play(async (onlooker) => {
      const { world } = onlooker;
      await world.onlyExecutors('executor-1');
      const conducts: Readonly<Record<number, readonly Conduct[]>> = { 6: ['apply-hold', 'ok'], 9: ['answer:422'] };
      const recipients = Array.from({ length: 13 }, (_, index) => ({
        name: String(index + 1),
        conduct: conducts[index + 1] ?? ['slow:150', 'ok'],
      }));
      const mail = step(
        'mail',
        'post',
        { name: { $text: '{input.run}/{item.name}' }, conduct: from('item.conduct') },
        { retry: { triesMax: 5, backoffMs: 50 } },
      );
      const each = { id: 'each', forEach: from('input.recipients'), window: 3, onFailure: 'continue' as const };
      const program = plan([{ ...each, steps: [mail] }], { output: from('steps.each') });
      const runId = await world.runs.id('mails');
      await world.runs.submit(runId, program, { input: { recipients } });
      await world.ledger.called([`${runId}/6`]);
      world.member('executor-1').killWorker();
      // The name of an effect is its recipient's here, so what a person would look up is looked up by recipient.
      onlooker.careFor(runId, (stepId) => String(Number(/\d+/.exec(stepId)?.[0]) + 1));

      const { end, history } = await soundEnd(onlooker, runId);
      expect(end).toMatchObject({ reason: 'succeeded', output: { items: 13, succeeded: 12, failed: 1 } });
      for (const { name } of recipients) {
        expect({ name, mails: world.ledger.entries(`${runId}/${name}`).length }).toEqual({
          name,
          mails: name === '9' ? 0 : 1,
        });
      }
      expect(deathsOf(onlooker, [runId])).toContain(`${runId}/each[5].mail`);
      expect(await keysOf(world, `${runId}/9`)).toHaveLength(1);
      expect(history.all('StepFailed')).toMatchObject([
        { data: { stepId: 'each[8].mail', final: true, effect: 'none', failure: { code: 'http_422' } } },
      ]);
    }),
  );
});

// Elsewhere a partition that moves takes its runs along. Here the session finishes what it has claimed, whoever has the
// seat: there is no drain limit at a move, so nothing falls into doubt. A limit there is only for a stop.
describe('case 5: a partition that moves while calls are under way', () => {
  it(
    'leaves each call to the worker that began it, and every result is recorded',
    inCrowd.play(async (onlooker) => {
      const { world } = onlooker;
      // One lane puts its attempts into one partition after the other, so all are used.
      const ids = await world.runs.ids('moved', 6, 0);
      await Promise.all(
        ids.map((runId) => world.runs.submit(runId, plan([effect('post', 'post', { conduct: ['wait'] })]))),
      );
      const names = ids.map((runId) => `${runId}/post`);
      await world.ledger.called(names);
      await world.start('executor-2');
      const newcomer = world.member('executor-2');
      await eventually('half of the seats have moved', async () => (await served(newcomer)).length === 3, 60_000);
      const moved = await served(newcomer);
      await Promise.all(names.map((name) => world.ledger.release(name)));

      const sessions = new Set<string | null>();
      const partitions = new Set<number>();
      for (const runId of ids) {
        const { history } = await succeededWithEachOnce(onlooker, runId, ['post']);
        expect(history.all('DoubtOpened')).toEqual([]);
        expect(await keysOf(world, `${runId}/post`)).toHaveLength(1);
        for (const { data } of history.all('StepSucceeded')) sessions.add(data.session);
        for (const { data } of history.all('StepScheduled')) partitions.add(data.partition);
      }
      expect(sessions.size).toBe(1);
      expect([...partitions].some((partition) => moved.includes(partition))).toBe(true);
    }),
  );

  it(
    'leaves to a person what a stop with too little time cuts off, and nobody sends it again',
    inCrowd.play(async (onlooker) => {
      const { world } = onlooker;
      const ids = await world.runs.ids('cut', 12, 0);
      const post = effect('post', 'post', { conduct: ['wait', 'ok'], timeoutMs: 15_000 });
      await Promise.all(ids.map((runId) => world.runs.submit(runId, plan([post]))));
      const names = ids.map((runId) => `${runId}/post`);
      await world.ledger.called(names);
      await world.member('executor-1').stop(20_000);
      for (const runId of ids) onlooker.careFor(runId);
      await Promise.all(names.map((name) => world.ledger.release(name)));

      let cut = 0;
      let asked = 0;
      for (const runId of ids) {
        const { history } = await succeededWithEachOnce(onlooker, runId, ['post']);
        expect(await keysOf(world, `${runId}/post`)).toHaveLength(1);
        cut += history.all('DoubtOpened').length;
        asked += history.all('EscalationOpened').length;
      }
      expect(cut).toBeGreaterThan(0);
      expect(cut).toBeLessThan(ids.length);
      expect(asked).toBe(cut);
    }),
  );
});

describe('case 3: what is written first at a crash, the result or the progress', () => {
  /** Calls that are under way whenever the worker is killed. */
  const HELD = 4;
  const program = (conduct: Conduct) =>
    plan([
      effect('file', 'one', { deathsMax: 50 }),
      effect('post', 'two', { after: ['one'], conduct: [conduct, 'ok'], deathsMax: 50 }),
      effect('file', 'three', { after: ['two'], deathsMax: 50 }),
    ]);

  const eachOnce = async (onlooker: Onlooker, ids: readonly string[]): Promise<void> => {
    for (const runId of ids) onlooker.careFor(runId);
    for (const runId of ids) await succeededWithEachOnce(onlooker, runId, ['one', 'two', 'three']);
  };

  it(
    'makes no difference to the effect, at whatever moment up to 80 ms after the answer the worker dies',
    inCrowd.play(async (onlooker) => {
      const { world } = onlooker;
      await world.onlyExecutors('executor-2');
      for (const round of [1, 2]) {
        const ids = await world.runs.ids(`moment-${round}`, 40);
        // One kill meets forty calls: answered at moments 2 ms apart, before it and after it, and some of them never.
        const moment = (index: number): Conduct => (index < HELD ? 'apply-hold' : `slow:${300 + 2 * index}`);
        await Promise.all(ids.map((runId, index) => world.runs.submit(runId, program(moment(index)))));
        await world.ledger.called(ids.slice(0, HELD).map((runId) => `${runId}/two`));
        await eventually('a good part of them has been answered', async () => {
          const { calls } = await world.ledger.state();
          return calls.filter(({ name, answered }) => answered && ids.includes(name.replace('/two', ''))).length >= 10;
        });
        world.member('executor-2').killWorker();
        await eachOnce(onlooker, ids);
        expect(deathsOf(onlooker, ids).length).toBeGreaterThanOrEqual(HELD);
      }
    }),
  );

  it(
    'makes no difference at each place between the answer and the next step either',
    inCrowd.play(async (onlooker) => {
      const { world } = onlooker;
      const places = ['executor.call.after', 'executor.outcome.before', 'executor.outcome.after'] as const;
      await world.onlyExecutors();
      const start = (place: string, index: number) =>
        world.member(`executor-${index + 5}`).start({ HOLDFAST_FAILPOINT: `${place}:4=kill` });
      const coordinator = world.member('coordinator-2');
      await Promise.all([
        ...places.map(start),
        coordinator.start({ HOLDFAST_FAILPOINT: 'coordinator.append.before:15=kill' }),
      ]);
      await world.leads('coordinator-2');
      const ids = await world.runs.ids('place', 36);
      await Promise.all(ids.map((runId) => world.runs.submit(runId, program('ok'))));
      await eachOnce(onlooker, ids);
      expect(await coordinator.exited).toEqual({ code: null, signal: 'SIGKILL' });
      for (const [index] of places.entries()) {
        expect(world.member(`executor-${index + 5}`).log()).toContain('the worker is gone');
      }
    }),
  );
});
