import { lanePlan, queuePlan, topicNames } from '@holdfast/contracts';
import { eventually } from '@holdfast/dev';
import { MemoryCluster, MemoryGroups } from '@holdfast/log';
import { coordinatorOn } from '../../../test/support/coordinating.js';
import { ManualTimer } from '../../../test/support/manual-timer.js';

const names = topicNames('t');
const MINUTE = 60_000;

/** A coordinator whose clock is apart from the broker's, alone on a cluster in memory. */
const made = (offMs: number, seats = 2, timer?: ManualTimer) => {
  const cluster = new MemoryCluster();
  for (const plan of [...lanePlan(names, 2), ...queuePlan(names, 'default', 1)]) {
    cluster.create(plan.name === names.laneSeats('coordinator') ? { ...plan, partitions: seats } : plan);
  }
  const groups = new MemoryGroups(cluster).seats('me');
  const heartbeats = () => cluster.partition(names.heartbeats, 0).bounds().end;
  /** How many heartbeats were in the log when the coordinator asked for seats. */
  const joinedAt: number[] = [];
  const { coordinator, log } = coordinatorOn(cluster, names, {
    // Where time passes by itself no heartbeat comes between those of the start: what it throws would be nobody's.
    config: { lanes: '2', ...(timer === undefined ? { heartbeatMs: '60000', leaseMs: '180000' } : {}) },
    seats: {
      join: (...asked) => {
        joinedAt.push(heartbeats());
        return groups.join(...asked);
      },
    },
    now: () => Date.now() + offMs,
    ...(timer === undefined ? {} : { timer }),
  });
  const history = () => [0, 1].map((lane) => cluster.partition(names.history, lane).bounds().end);
  const losesHeartbeats = (count: number): void => {
    for (let lost = 0; lost < count; lost += 1)
      log.faults.nextAppend('lost', ({ topic }) => topic === names.heartbeats);
  };
  return { coordinator, history, heartbeats, log, joinedAt, losesHeartbeats };
};

const started = async (offMs: number, seats = 2) => {
  const all = made(offMs, seats);
  const problem = await all.coordinator.start().then(
    () => null,
    (error: Error) => error.message,
  );
  return { ...all, problem };
};

describe('a coordinator', () => {
  it.each([5 * MINUTE, -5 * MINUTE])(
    'whose clock is %i ms off ends before it has written any history',
    async (offMs) => {
      const { coordinator, problem, history, log } = await started(offMs);
      expect(problem).toMatch(/this machine's clock is -?\d+ ms away/);
      await coordinator.stop();
      await log.close();
      expect(history()).toEqual([0, 0]);
    },
  );

  it('whose clock is right takes its lanes', async () => {
    const { coordinator, problem, history, log } = await started(0);
    try {
      await eventually('both lanes are taken', () => history().every((end) => end > 0));
    } finally {
      await coordinator.stop();
      await log.close();
    }
    expect(problem).toBeNull();
  });

  it('takes no lane that is not there, although somebody has added seats', async () => {
    const { coordinator, history, log } = await started(0, 4);
    try {
      await eventually('both lanes are taken', () => history().every((end) => end > 0));
    } finally {
      await coordinator.stop();
      await log.close();
    }
    expect([...coordinator.runners.keys()]).toEqual([0, 1]);
  });

  it('asks for no seat before a heartbeat has borne its clock out, however many are lost', async () => {
    const { coordinator, log, joinedAt, losesHeartbeats } = made(0);
    losesHeartbeats(5);
    await coordinator.start();
    await coordinator.stop();
    await log.close();
    expect(joinedAt).toEqual([expect.any(Number)]);
    expect(joinedAt[0]).toBeGreaterThan(0);
  });

  it('says that it lives one heartbeat at a time: none wait behind one that is not answered', async () => {
    const timer = new ManualTimer();
    const { coordinator, log, heartbeats } = made(0, 2, timer);
    await coordinator.start();
    await timer.pass(1_000);
    const before = heartbeats();
    log.faults.freeze();
    await timer.pass(60_000);
    log.faults.thaw();
    await timer.pass(0);
    expect(heartbeats() - before).toBeLessThanOrEqual(1);
    await timer.pass(5_000);
    expect(heartbeats() - before).toBeGreaterThan(5);
    await coordinator.stop();
    await log.close();
  });

  it('asks for no seat when it was stopped before that', async () => {
    const { coordinator, log, joinedAt, losesHeartbeats } = made(0);
    losesHeartbeats(4);
    const starting = coordinator.start();
    await coordinator.stop();
    await starting;
    await log.close();
    expect(joinedAt).toEqual([]);
  });
});
