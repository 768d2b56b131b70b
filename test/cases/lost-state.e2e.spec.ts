import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { createKafkaTopics } from '@holdfast/log';
import { lanePlan } from '@holdfast/contracts';
import type { HistoryRecord } from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import { silentLogger } from '@holdfast/sdk';
import kafkajs from 'kafkajs';
import { chain, effect, from, plan } from '../e2e/support/plans.js';
import { World } from '../e2e/support/world.js';
import { keysOf, refusalOf, succeededWithEachOnce } from './support/outcomes.js';
import { Onlooker } from './support/onlooker.js';
import { Turns } from './support/turns.js';

let kafka: KafkaCluster;
/** One lane, one partition, one call at a time: whoever waits, waits behind the one before. */
let narrow: Onlooker;
let wide: Onlooker;
const inNarrow = new Turns();
const inWide = new Turns();
/** Nobody writes its lanes down: whoever takes one over needs its history from the first record on. */
const UNWRITTEN = { env: { 'coordinator:HOLDFAST_SNAPSHOT_EVENTS': '0' } };
const NARROW = { lanes: 1, partitions: 1, env: { 'executor:HOLDFAST_CONCURRENCY': '1' } };
beforeAll(async () => {
  kafka = await startKafka();
  const { brokers } = kafka;
  [narrow, wide] = await Promise.all([
    Onlooker.of(await World.open({ brokers, ...NARROW })),
    Onlooker.of(await World.open({ brokers, ...UNWRITTEN })),
  ]);
  void inNarrow.begin(narrow);
  void inWide.begin(wide);
});
afterAll(async () => {
  await Promise.all([narrow?.world.close(), wide?.world.close()]);
  await kafka?.stop();
});

const killed = { code: null, signal: 'SIGKILL' } as const;

const concurrencyKeyIsRefused = async (world: World): Promise<void> => {
  const keyed = { ...chain('file', 1), concurrencyKey: 'acct-1' } as Plan;
  expect(await refusalOf(world.runs.submit(await world.runs.id('keyed'), keyed))).toBe('invalid_program');
};

describe('case 27: a run that stands between two steps when its process dies', () => {
  const steps = ['s0', 's1', 's2'];

  it(
    'goes on with its third step, and the runs behind it follow, one call at a time',
    inNarrow.play(async (onlooker) => {
      const { world } = onlooker;
      await concurrencyKeyIsRefused(world);
      const submitted = async () => {
        const ids = await Promise.all(Array.from({ length: 4 }, () => world.runs.id('queued')));
        return { ids, answers: ids.map((runId) => world.runs.submit(runId, chain('file', 3, { deathsMax: 10 }))) };
      };
      const done = async ({ ids, answers }: Awaited<ReturnType<typeof submitted>>): Promise<void> => {
        await Promise.all(answers);
        for (const runId of ids) {
          const { history } = await succeededWithEachOnce(onlooker, runId, steps);
          expect(third(history.records)).toBeLessThan(30_000);
        }
      };
      // The coordinator dies with a step's result in its hand and nothing written: not the result, not the next step.
      const coordinator = world.member('coordinator-1');
      await coordinator.kill();
      await coordinator.start({ HOLDFAST_FAILPOINT: 'coordinator.append.before:12=kill' });
      const first = await submitted();
      expect(await coordinator.exited).toEqual(killed);
      await world.start('coordinator-1');
      await done(first);
      // The worker dies with a result said and acknowledged, before anybody has read it.
      await world.onlyExecutors();
      await world.member('executor-2').start({ HOLDFAST_FAILPOINT: 'executor.outcome.after:2=kill' });
      await done(await submitted());
      expect(world.member('executor-2').log()).toContain('the worker is gone');
    }),
  );

  /** Time between the result of the second step and the order of the third, ms. */
  const third = (records: readonly HistoryRecord[]): number => {
    const at = (type: string, stepId: string): number => {
      const found = records.find(
        ({ event }) => event.type === type && 'stepId' in event.data && event.data.stepId === stepId,
      );
      return Date.parse(found?.time ?? '');
    };
    return at('StepScheduled', 's2') - at('StepSucceeded', 's1');
  };
});

describe('case 33: a call that fails, is made again, and never answers', () => {
  it(
    'is given up at its own time, across the death of its worker, and whoever waits behind it comes to be served',
    inNarrow.play(async (onlooker) => {
      const { world } = onlooker;
      await world.onlyExecutors('executor-1');
      const runId = await world.runs.id('stuck');
      const conduct = ['refuse', 'hold-drop', 'hold-drop', 'ok'] as const;
      const stuck = effect('pay', 'pay', { conduct, timeoutMs: 1_500, deathsMax: 10 });
      await world.runs.submit(runId, plan([stuck]));
      await world.ledger.called([`${runId}/pay`], 2);
      const behind = await Promise.all([0, 1].map(() => world.runs.id('behind')));
      await Promise.all(behind.map((id) => world.runs.submit(id, chain('file', 2))));
      world.member('executor-1').killWorker();
      for (const id of behind) await succeededWithEachOnce(onlooker, id, ['s0', 's1']);
      const { history } = await succeededWithEachOnce(onlooker, runId, ['pay']);
      const causes = history.all('DoubtOpened').map(({ data }) => data.cause);
      expect(causes).toEqual(['outcome_unknown', 'session_ended', 'outcome_unknown']);
      const keys = await keysOf(world, `${runId}/pay`);
      expect(keys).toHaveLength(conduct.length);
      expect(new Set(keys).size).toBe(1);
    }),
  );
});

describe('case 30: results of parallel calls that come at the same moment', () => {
  const refs = Array.from({ length: 8 }, (_, index) => `q${index + 1}`);

  it(
    'are all there after everything was killed right behind the eighth, and no call is made again',
    inWide.play(async (onlooker) => {
      const { world } = onlooker;
      const all = Object.fromEntries(refs.map((ref) => [ref, from(`steps.${ref}.receipt`)]));
      // A person is asked about what the kill has cut off once its deadline is over.
      const held = { conduct: ['wait'], timeoutMs: 30_000 } as const;
      const program = plan([...refs.map((ref) => effect('post', ref, held)), effect('file', 'last', { after: refs })], {
        output: all,
      });
      for (const round of [1, 2]) {
        const ids = await world.runs.ids(`parallel-${round}`, 4);
        await Promise.all(ids.map((runId) => world.runs.submit(runId, program)));
        const names = ids.flatMap((runId) => refs.map((ref) => `${runId}/${ref}`));
        await world.ledger.called(names);
        await Promise.all(names.map((name) => world.ledger.release(name)));
        await eventually(
          'the eighth result of the first run is recorded',
          () => onlooker.history(ids[0] ?? '').all('StepSucceeded').length >= refs.length,
          60_000,
        );
        await Promise.all([world.member('executor-1').killWhole(), world.member('coordinator-1').kill()]);
        for (const runId of ids) onlooker.careFor(runId);
        await world.start('executor-1', 'coordinator-1');
        for (const runId of ids) {
          const { end } = await succeededWithEachOnce(onlooker, runId, [...refs, 'last']);
          const receipts = refs.map((ref) => [ref, world.ledger.entries(`${runId}/${ref}`)[0]?.receipt]);
          expect(end.output).toEqual(Object.fromEntries(receipts));
        }
        for (const name of names) expect(await world.ledger.calls(name)).toHaveLength(1);
      }
    }),
  );
});

describe('case 28: an old and a new process under one name', () => {
  it(
    'are two owners all the same: a timer set by the old one fires once, and the run goes on',
    inWide.play(async (onlooker) => {
      const { world } = onlooker;
      const name = { HOLDFAST_INSTANCE: 'local' };
      const [old, fresh] = [world.member('coordinator-2'), world.member('coordinator-3')];
      await Promise.all([old.start(name), fresh.start(name)]);
      await world.member('coordinator-1').stop(20_000);
      await world.leads('coordinator-2', 'coordinator-3');
      const retry = { backoffMs: 8_000, triesMax: 2 };
      const program = plan([
        effect('draft', 'waits', { conduct: ['refuse', 'ok'], retry }),
        effect('post', 'then', { after: ['waits'] }),
      ]);
      const ids = await world.runs.ids('timer', 4);
      await Promise.all(ids.map((runId) => world.runs.submit(runId, program)));
      for (const runId of ids) {
        await onlooker.until(runId, 'waits for its timer', (history) => history.all('BackoffStarted')[0]);
      }
      expect(await old.stop(20_000)).toEqual({ code: 0, signal: null });

      let changed = 0;
      for (const runId of ids) {
        const { history } = await succeededWithEachOnce(onlooker, runId, ['then']);
        expect(history.all('StepScheduled', 'waits').map(({ data }) => data.attempt)).toEqual([0, 1]);
        expect(await world.ledger.calls(`${runId}/waits`)).toHaveLength(2);
        changed += new Set(history.records.map(({ lane }) => lane.owner)).size - 1;
      }
      expect(changed).toBeGreaterThan(0);
    }),
  );
});

describe('case 37: history that is kept for a shorter time than runs last', () => {
  const admin = () => new kafkajs.Kafka({ brokers: kafka.brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();

  it(
    'is refused at the start, with the topic, the setting and the command that mends it',
    inWide.play(async () => {
      const short = new World({ brokers: kafka.brokers });
      const topics = createKafkaTopics({ brokers: kafka.brokers, clientId: 'test', logger: silentLogger });
      const history = lanePlan(short.names, 4).find(({ name }) => name === short.names.history);
      if (history === undefined) throw new Error('there is no topic of history');
      await topics.ensure([{ ...history, retentionMs: 60_000 }]);
      await short.ledger.start();
      const coordinator = short.member('coordinator-1');
      await coordinator.launch();
      expect(await coordinator.exited).toEqual({ code: 1, signal: null });
      expect(coordinator.log()).toMatch(/run-events: retention\.ms is 60000, wanted -1; .*kafka-configs/);
      await short.close();
    }),
  );

  it(
    'and that is gone under an open run stops its lane, loudly, and an audit says where; it is never taken for empty',
    inWide.play(async ({ world }) => {
      const lane = 2;
      const runId = await world.runs.id('parked', lane);
      await world.runs.submit(runId, plan([effect('post', 'act', { conduct: ['apply-drop'], timeoutMs: 800 })]));
      const question = await world.runs.seen(runId, 'EscalationOpened');
      const client = admin();
      await client.connect();
      // It knows a topic only once it has been asked about it.
      await client.fetchTopicOffsets(world.names.history);
      await client.deleteTopicRecords({ topic: world.names.history, partitions: [{ partition: lane, offset: '3' }] });
      await client.disconnect();
      await world.member('coordinator-3').kill();
      await world.member('coordinator-4').launch();
      const report = await eventually(
        'the new coordinator says that the lane has stopped',
        async () => {
          const health = await world.member('coordinator-4').health();
          return health?.reasons.some((reason) => reason.startsWith('lanes:')) === true ? health : null;
        },
        60_000,
      );
      expect(report.reasons.join()).toContain(`lanes ${lane} have stopped`);
      expect(world.member('coordinator-4').log()).toMatch(/history at 0 is not kept; kept are 3 to \d+/);
      await expect(world.client.readRun(runId)).rejects.toThrow(/not kept|missing/);
      const answer = { escalation: question.seq, choice: 'applied' as const, answerWithinMs: 1_000 };
      expect(await refusalOf(world.runs.answer(runId, answer))).not.toBe('accepted');
      // The other lanes go on.
      const other = await world.runs.id('other', 1);
      await world.runs.submit(other, chain('file', 1));
      expect(await world.runs.ended(other)).toMatchObject({ reason: 'succeeded' });
    }),
  );
});
