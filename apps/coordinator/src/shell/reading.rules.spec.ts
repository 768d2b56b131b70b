import { encode, lanePlan, queuePlan, topicNames } from '@holdfast/contracts';
import { createMemoryLog, MemoryCluster, type Entry } from '@holdfast/log';
import { gzipAtOnce, silentLogger } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import { LaneHarness } from '../../../../test/support/lane-harness.js';
import { ManualTimer } from '../../../../test/support/manual-timer.js';
import { one } from '../../../../test/support/plans.js';
import { ClaimsKeeper } from '../claims/claims-keeper.js';
import { Leases } from '../fleet/leases.js';
import { SessionWatch } from '../fleet/session-watch.js';
import { READING_RULES, RULES, type Rules } from '../run/rules.js';
import type { LaneRunner } from './lane-runner.js';
import { LaneSnapshots } from './lane-snapshots.js';
import { Losses } from './losses.js';

/** A schedule in which the rule matters: what comes of it while the rule holds, and what without it. */
type Scenario = {
  readonly about: string;
  readonly play: (rules: Rules) => unknown;
  readonly kept: unknown;
  readonly broken: unknown;
};

const names = topicNames('t');
const logger = silentLogger as unknown as ServiceLogger;
const ID = 'run-1/a/0';

/** A process's surroundings in which time passes only when told. */
const around = () => {
  const timer = new ManualTimer();
  const cluster = new MemoryCluster({ now: () => timer.clocks().now });
  for (const plan of [...lanePlan(names, 1), ...queuePlan(names, 'default', 1)]) cluster.create(plan);
  const log = createMemoryLog(cluster, { timer: (ms, work) => timer.after(ms, work) });
  const clock = { now: () => timer.clocks().now, monotonic: () => timer.clocks().mono };
  return { log, names, timer, cluster, clock, logger, follow: () => undefined };
};

const message = (type: string, data: object): Entry => ({
  key: null,
  value: encode({ type, version: 1, id: 'id', source: 'test', subject: null, time: '', principal: null, data }),
});

const claimOf = (session: string): Entry =>
  message('AttemptClaimed', { attemptId: ID, session, deadline: 2_000, startBy: 1_000, argsHash: '' });

/** A lane whose attempt `S` holds by the claims log, and what it is told. */
const laneOf = (log: string[]) => {
  const machine = { lost: new Map(), live: new Map(), firsts: new Map([[ID, { kind: 'claimed', session: 'S' }]]) };
  const reached = async (): Promise<void> => void log.push('the journal is read');
  const dispatch = ({ type }: { readonly type: string }): void => void log.push(type);
  const runner = { machine, setting: { lane: 0 }, leading: true, intake: { reached }, dispatch };
  return runner as unknown as LaneRunner;
};

const declared = async (rules: Rules): Promise<readonly string[]> => {
  const { log, timer } = around();
  const told: string[] = [];
  const leases = new Leases(3_000, 50);
  leases.end('S', { endedAt: 0, clean: false });
  const keeper = { look: async () => undefined } as unknown as ClaimsKeeper;
  new Losses({ log, names, logger, keeper, rules, leases, runners: new Map([[0, laneOf(told)]]) }).review();
  await timer.pass(10);
  return told;
};

const scenarios: Record<(typeof READING_RULES)[number], Scenario> = {
  wholeRange: {
    about: 'a coordinator that has just begun to read closes an attempt that somebody has claimed before',
    play: async (rules) => {
      const { cluster, ...parts } = around();
      const claims = cluster.partition(names.claims('default'), 0);
      claims.append([claimOf('S')]);
      const keeper = new ClaimsKeeper({ ...parts, owner: 'C', rules });
      const told: string[] = [];
      const attempt = { attemptId: ID, queue: 'default', partition: 0, claimsFrom: 0, startBy: 1_000 };
      keeper.end('default', 0);
      await parts.timer.pass(1);
      keeper.watch([attempt], (_, first) => told.push(first.kind));
      keeper.close([attempt]);
      await parts.timer.pass(1);
      const { end } = claims.bounds();
      keeper.batch({
        topic: names.claims('default'),
        partition: 0,
        records: claims.slice(1, end, 1_000),
        next: end,
        end,
      });
      return told[0];
    },
    kept: 'claimed',
    broken: 'closed',
  },
  leaseIsALevel: {
    about: 'the claim of a session is read after its end',
    play: declared,
    kept: ['the journal is read', 'SessionLost'],
    broken: [],
  },
  journalBeforeDoubt: {
    about: 'a session has ended, and it may have said what became of what it held',
    play: async (rules) => (await declared(rules)).includes('the journal is read'),
    kept: true,
    broken: false,
  },
  noLeaseWhileNotReading: {
    about: 'no heartbeat could be read for long',
    play: (rules) => {
      const leases = new Leases(100, 200, rules);
      leases.expect('S');
      return leases.tick(200, 5_000);
    },
    kept: [],
    broken: ['S'],
  },
  expiryIsConfirmed: {
    about: 'a lease runs out while the heartbeat that would have renewed it is on its way here',
    play: async (rules) => {
      const { timer, cluster, ...parts } = around();
      const shared = { ...parts, timer, coordinator: 'C', rules, changed: () => undefined, back: () => undefined };
      const watch = new SessionWatch(shared, { leaseMs: 100, tickMs: 200 });
      watch.leases.expect('S');
      watch.batch({ topic: names.heartbeats, partition: 0, records: [], next: 0, end: 0 });
      const data = { executor: 'E', sessions: [{ session: 'S', state: 'open' }], queues: {}, tools: [], at: 0 };
      cluster.partition(names.heartbeats, 0).append([message('ExecutorBeat', data)]);
      await timer.pass(200);
      watch.tick();
      await timer.pass(10);
      return watch.leases.expired('S');
    },
    kept: false,
    broken: true,
  },
  snapshotAnchored: {
    about: 'a snapshot of a history that is another one by now, with nothing behind it that contradicts it',
    play: async (rules) => {
      const { log, timer, cluster, clock } = around();
      const lane = new LaneHarness({ settings: { snapshotEvents: 1, snapshotEveryMs: 0 } }).seat();
      lane.submit(one('pure'));
      const [taken] = lane.taken;
      const other = new LaneHarness({ owner: 'another' }).seat().submit(one('verifiable'));
      cluster.partition(names.history, 0).append(other.history.values.map((value) => ({ key: null, value })));
      const snapshots = new LaneSnapshots({ log, names, clock, timer, logger, lane: 0, rules, packing: gzipAtOnce });
      if (taken !== undefined) await snapshots.write(taken.anchor, taken.capture, () => true);
      const restored = await snapshots.read(0);
      return restored === null ? 'folds history' : restored.lane.owner;
    },
    kept: 'folds history',
    broken: 'C1',
  },
};

describe('each rule about reading matters', () => {
  it.each(READING_RULES)('%s', async (rule) => {
    const { play, kept, broken } = scenarios[rule];
    expect(await play(RULES)).toEqual(kept);
    expect(await play({ ...RULES, [rule]: false })).toEqual(broken);
  });
});
