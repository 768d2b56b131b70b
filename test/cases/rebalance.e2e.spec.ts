import { lanePlan } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import kafkajs, { type Admin } from 'kafkajs';
import { cloudEvent } from '../e2e/support/bad-records.js';
import { chain, effect, from, plan, step } from '../e2e/support/plans.js';
import { put, recordsOf } from '../e2e/support/topics.js';
import { World } from '../e2e/support/world.js';
import { forgetPositions, lagOf } from './support/group.js';
import { deathsOf, keysOf, served, soundEnd, succeededWithEachOnce } from './support/outcomes.js';
import { Onlooker } from './support/onlooker.js';
import { ordersIn, walkLanes } from './support/records.js';
import { Turns } from './support/turns.js';
import { launchAt, Weather } from './support/weather.js';

const LANES = 6;
const IN_STORM = ['coordinator-1', 'reconciler-1', 'executor-1', 'executor-2', 'executor-3'];
let kafka: KafkaCluster;
let admin: Admin;
/** Here one thing happens at a time. */
let calm: Onlooker;
/** Here executors come and go. */
let stormy: Onlooker;
/** They share the broker: nobody kills it while the calm stories are told. */
let calmIsOver: Promise<void>;
const inCalm = new Turns();
const inStorm = new Turns();
beforeAll(async () => {
  kafka = await startKafka();
  const { brokers } = kafka;
  admin = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  [calm, stormy] = await Promise.all([
    // Orders stay good for long, so that what is read again later is not merely out of date.
    Onlooker.of(await World.open({ brokers, lanes: LANES, partitions: 6, env: { HOLDFAST_START_BY_MS: '40000' } })),
    Onlooker.of(await World.open({ brokers, lanes: LANES, partitions: 12 }, IN_STORM)),
  ]);
  calmIsOver = inCalm.begin(calm);
  void inStorm.begin(stormy);
});
afterAll(async () => {
  await admin?.disconnect();
  await Promise.all([calm?.world.close(), stormy?.world.close()]);
  await kafka?.stop();
});

const submitChains = async ({ runs }: World, name: string, count: number): Promise<readonly string[]> => {
  const ids = await runs.ids(name, count);
  await Promise.all(ids.map((runId) => runs.submit(runId, chain('file', 3, { conduct: ['slow:20'], deathsMax: 50 }))));
  return ids;
};

const each = ['s0', 's1', 's2'];

describe('case 73: a call that lasts longer than the group waits for a member', () => {
  it(
    'costs no seat and holds nobody up behind it',
    inCalm.play(async (onlooker) => {
      const { world } = onlooker;
      const executor = world.member('executor-1');
      await eventually('it has all seats', async () => (await served(executor)).length === 6);
      const before = await served(executor);
      const long = await world.runs.id('long');
      await world.runs.submit(long, plan([effect('post', 'post', { conduct: ['slow:9000'] })]));
      await world.ledger.called([`${long}/post`]);
      const said = executor.log().length;
      const others = await submitChains(world, 'beside', 6);
      const partitions = new Set<number>();
      for (const runId of others) {
        const { history } = await succeededWithEachOnce(onlooker, runId, each);
        for (const { data } of history.all('StepScheduled')) partitions.add(data.partition);
      }
      expect(onlooker.history(long).all('RunEnded')).toEqual([]);
      const { history } = await succeededWithEachOnce(onlooker, long, ['post']);
      expect(partitions).toContain(history.all('StepScheduled')[0]?.data.partition);
      expect(await world.ledger.calls(`${long}/post`)).toHaveLength(1);
      expect(await served(executor)).toEqual(before);
      expect(executor.log().slice(said)).not.toContain('joining again');
    }),
  );

  it(
    'does not keep its partition either when its executor dies: another has it within 45 s',
    inCalm.play(async (onlooker) => {
      const { world } = onlooker;
      const long = await world.runs.id('long');
      await world.runs.submit(long, plan([effect('post', 'post', { conduct: ['apply-hold'], timeoutMs: 15_000 })]));
      await world.ledger.called([`${long}/post`]);
      onlooker.careFor(long);
      await world.start('executor-2');
      await world.member('executor-1').killWhole();
      const survivor = world.member('executor-2');
      await eventually('the other has all seats', async () => (await served(survivor)).length === 6, 45_000);
      await succeededWithEachOnce(onlooker, long, ['post']);
      expect(await world.ledger.calls(`${long}/post`)).toHaveLength(1);
    }),
  );
});

// A machine whose clock is off takes no part, whichever way it is off. What it holds is judged by the coordinator's own
// count of time, never by two clocks. A deadline is a moment, so a clock that jumps past it ends the call early: a doubt.
describe('case 79: clocks that disagree about a lease', () => {
  const MINUTE = 60_000;

  it(
    'take nothing from a healthy holder, five minutes ahead or behind',
    inCalm.play(async (onlooker) => {
      const { world } = onlooker;
      const runId = await world.runs.id('clock');
      await world.runs.submit(runId, plan([effect('pay', 'pay', { conduct: ['wait'] })]));
      await world.ledger.called([`${runId}/pay`]);
      const pairAt = (offMs: number, nth: number) =>
        Promise.all([launchAt(world, `executor-${nth}`, offMs), launchAt(world, `coordinator-${nth}`, offMs)]);
      const off = await Promise.all([pairAt(5 * MINUTE, 5), pairAt(-5 * MINUTE, 6)]);
      for (const [executor, coordinator] of off) {
        expect(await coordinator.exited).toEqual({ code: 1, signal: null });
        expect(coordinator.log()).toMatch(/this machine's clock is -?\d+ ms away from the broker's/);
        expect(coordinator.log()).not.toContain('leading the lane');
        const reasons = async () => (await executor.health())?.reasons.join() ?? '';
        await eventually('it says so', async () => (await reasons()).includes('this clock is off'), 60_000);
      }
      await world.ledger.release(`${runId}/pay`);
      const { history } = await succeededWithEachOnce(onlooker, runId, ['pay']);
      expect(history.all('DoubtOpened')).toEqual([]);
      expect(await world.ledger.calls(`${runId}/pay`)).toHaveLength(1);
      await Promise.all(off.map(([executor]) => executor.killWhole()));
    }),
  );

  it(
    'cost a holder whose own clock jumps no lease; at most the same call is made once more under the same key',
    inCalm.play(async (onlooker) => {
      const { world } = onlooker;
      await world.onlyExecutors();
      const jumper = world.member('executor-7');
      const weather = new Weather(world.folder, jumper.name);
      await jumper.start(weather.env);
      const runId = await world.runs.id('jump');
      await world.runs.submit(runId, plan([effect('pay', 'pay', { conduct: ['wait', 'ok'] })]));
      await world.ledger.called([`${runId}/pay`]);
      for (const offMs of [-10 * MINUTE, 10 * MINUTE]) {
        weather.setClock(offMs);
        await eventually('it says that its clock is off', async () => (await jumper.health())?.ready === false, 30_000);
      }
      weather.setClock(0);
      await world.ledger.release(`${runId}/pay`);
      const { history } = await succeededWithEachOnce(onlooker, runId, ['pay']);
      expect(history.all('DoubtOpened').filter(({ data }) => data.cause !== 'outcome_unknown')).toEqual([]);
      const keys = await keysOf(world, `${runId}/pay`);
      expect(keys.length).toBeLessThanOrEqual(2);
      expect(new Set(keys).size).toBe(1);
    }),
  );
});

describe('case 82: positions of a group that have expired', () => {
  it(
    'cost nothing: old orders are read again and repeat nothing, new ones are carried out',
    inCalm.play(async (onlooker) => {
      const { world } = onlooker;
      await world.onlyExecutors('executor-1');
      const items = Array.from({ length: 300 }, (_, index) => index);
      const old = await world.runs.id('old');
      const file = step('file', 'file', { name: { $text: '{input.run}/{item}' } });
      const program = plan([{ id: 'each', forEach: from('input.items'), window: 32, steps: [file] }]);
      await world.runs.submit(old, program, { input: { items } });
      await succeededWithEachOnce(onlooker, old, items.map(String));

      // Orders go out to an executor that is taken for alive and reads nothing any more.
      world.member('executor-1').freeze();
      const fresh = await world.runs.ids('fresh', 50);
      await Promise.all(fresh.map((runId) => world.runs.submit(runId, chain('file', 1))));
      await world.member('executor-1').killWhole();
      await forgetPositions(admin, world);

      await world.start('executor-2');
      for (const runId of fresh) await succeededWithEachOnce(onlooker, runId, ['s0']);
      const { calls } = await world.ledger.state();
      expect(calls.filter(({ name }) => name.startsWith(`${old}/`))).toHaveLength(items.length);
      expect(world.ledger.entries().filter(({ name }) => name.startsWith(`${old}/`))).toHaveLength(items.length);
    }),
  );

  it(
    'cannot be told to skip: there is no such setting, and a service that is given one does not start',
    inCalm.play(async ({ world }) => {
      const executor = world.member('executor-8');
      await executor.launch({ HOLDFAST_OFFSET_RESET: 'latest' });
      expect(await executor.exited).toEqual({ code: 1, signal: null });
      expect(executor.log()).toContain('HOLDFAST_OFFSET_RESET');
    }),
  );
});

describe('case 77: all that concerns a run is on one partition', () => {
  it(
    'whatever its id, whoever wrote it, and whichever way it was asked for',
    inCalm.play(async (onlooker) => {
      const { world } = onlooker;
      expect(['doc-1', 'mission-2000', 'ü', 'ABC', 'abc'].map((id) => laneOf(id, 12))).toEqual([11, 1, 2, 6, 3]);
      const ids = ['abc', 'ABC', 'ü', 'x'.repeat(200)];
      const retried = effect('draft', 'timer', { conduct: ['refuse', 'ok'], retry: { backoffMs: 100 } });
      const asked = effect('post', 'asked', { conduct: ['apply-drop'], timeoutMs: 800 });
      const probed = effect('file', 'probed', { blind: 1, conduct: ['apply-drop'], timeoutMs: 800 });
      for (const runId of ids) {
        onlooker.careFor(runId);
        await world.runs.submit(runId, plan([retried, asked, probed]));
      }
      for (const runId of ids) await succeededWithEachOnce(onlooker, runId, ['asked', 'probed']);
      const cancelled = await world.runs.id('cancelled');
      await world.runs.submit(cancelled, plan([effect('file', 'act', { conduct: ['hold-drop'], timeoutMs: 1_000 })]));
      await world.runs.cancel(cancelled, { reason: 'not wanted' });
      await soundEnd(onlooker, cancelled);
      // A client in another language that counts differently: its request is passed on to where the run lives.
      const astray = await world.runs.id('astray', 2);
      const program = plan([step('a', 'add', { numbers: [1] })]);
      const request = cloudEvent('SubmitRun', { requestId: 'astray', runId: astray, program });
      await put(world.log, { topic: world.names.requests, partition: 4 }, { value: request });
      await soundEnd(onlooker, astray);

      const { strays, topicsOf } = await walkLanes(world, LANES);
      expect(strays).toEqual([expect.stringContaining(`of ${astray}`)]);
      for (const runId of ids) expect({ runId, topics: topicsOf.get(runId)?.size }).toEqual({ runId, topics: 5 });
      for (const { runId, stepId, attempt, orderedAt } of await ordersIn(world, 6)) {
        const told = onlooker.history(runId).all('StepScheduled', stepId);
        expect(told.find(({ data }) => data.attempt === attempt)?.data.partition).toBe(orderedAt);
      }
    }),
  );
});

describe('case 74: executors that come and go, and partitions that nobody reads any more', () => {
  it(
    'leave no run behind and repeat nothing; all that was ordered has been read soon after the last change',
    inStorm.play(async (onlooker) => {
      const { world } = onlooker;
      const ids: string[] = [];
      for (let change = 1; change <= 6; change += 1) {
        ids.push(...(await submitChains(world, `change-${change}`, 20)));
        const leaver = world.member(`executor-${change}`);
        const gone = change % 2 === 0 ? leaver.stop(20_000) : leaver.killWhole();
        await world.start(`executor-${change + 3}`);
        await gone;
      }
      await eventually('all that was ordered has been read', async () => (await lagOf(admin, world)) === 0, 60_000);
      const sessions = new Set<string | null>();
      for (const runId of ids) {
        const { history } = await succeededWithEachOnce(onlooker, runId, each);
        for (const { data } of history.all('StepSucceeded')) sessions.add(data.session);
      }
      // Calls were under way when executors were killed, and those that came had their part.
      expect(deathsOf(onlooker, ids)).not.toEqual([]);
      expect(sessions.size).toBeGreaterThan(3);
      await eventually('nothing is left to read', async () => (await lagOf(admin, world)) === 0, 60_000);
    }),
  );

  it(
    'go on by themselves after the broker was killed and started again',
    inStorm.play(async (onlooker) => {
      await calmIsOver;
      const { world } = onlooker;
      const ids = await submitChains(world, 'restart', 12);
      const killedAt = Date.now();
      await kafka.kill();
      await kafka.restart();
      const after = await submitChains(world, 'again', 12);
      for (const runId of [...ids, ...after]) await succeededWithEachOnce(onlooker, runId, each);
      const ends = ids.flatMap((runId) => onlooker.history(runId).records.at(-1)?.time ?? []);
      expect(ends.filter((time) => Date.parse(time) > killedAt)).not.toEqual([]);
    }),
  );
});

describe('case 78: partitions that are added while runs are open', () => {
  it(
    'change nothing for them, and whoever starts afterwards refuses to take part',
    inStorm.play(async (onlooker) => {
      const { world } = onlooker;
      const ids = await submitChains(world, 'open', 24);
      const topics = lanePlan(world.names, LANES).filter(({ partitions }) => partitions === LANES);
      await admin.createPartitions({ topicPartitions: topics.map(({ name: topic }) => ({ topic, count: 12 })) });
      const after = await submitChains(world, 'after', 12);
      for (const runId of [...ids, ...after]) await succeededWithEachOnce(onlooker, runId, each);
      for (let lane = LANES; lane < 12; lane += 1)
        expect(await recordsOf(world.log, world.names.history, lane)).toEqual([]);

      const [same, more] = [world.member('coordinator-8'), world.member('coordinator-9')];
      await Promise.all([same.launch(), more.launch({ HOLDFAST_LANES: '12' })]);
      expect([await same.exited, await more.exited]).toEqual([
        { code: 1, signal: null },
        { code: 1, signal: null },
      ]);
      expect(same.log()).toMatch(/run-events: has 12 partitions, wanted 6/);
      expect(more.log()).toContain('has 6 lanes for life, but HOLDFAST_LANES is 12');
    }),
  );
});
