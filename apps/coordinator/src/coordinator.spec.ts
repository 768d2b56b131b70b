import { lanePlan, queuePlan, topicNames } from '@holdfast/contracts';
import { eventually } from '@holdfast/dev';
import { createMemoryLog, MemoryCluster, MemoryGroups } from '@holdfast/log';
import { silentLogger, systemIds, systemTimer } from '@holdfast/sdk';
import { Health, type ServiceLogger } from '@holdfast/service';
import { Coordinator } from './coordinator.js';
import { coordinatorConfigSchema, type CoordinatorConfig } from './coordinator.config.js';

const names = topicNames('t');
const MINUTE = 60_000;

/** A coordinator whose clock is apart from the broker's, alone on a cluster in memory. */
const started = async (offMs: number, seats = 2) => {
  const cluster = new MemoryCluster();
  for (const plan of [...lanePlan(names, 2), ...queuePlan(names, 'default', 1)]) {
    cluster.create(plan.name === names.laneSeats('coordinator') ? { ...plan, partitions: seats } : plan);
  }
  const config = coordinatorConfigSchema.parse({ kafkaBrokers: 'memory:1', lanes: '2' }) as CoordinatorConfig;
  const log = createMemoryLog(cluster);
  const coordinator = new Coordinator({
    config,
    log,
    names,
    seats: new MemoryGroups(cluster).seats('me'),
    clock: { now: () => Date.now() + offMs, monotonic: () => performance.now() },
    timer: systemTimer,
    ids: systemIds,
    logger: silentLogger as ServiceLogger,
    health: new Health(),
    // Ends the process: nothing after it is done.
    fatal: (error) => {
      throw error;
    },
  });
  const problem = await coordinator.start().then(
    () => null,
    (error: Error) => error.message,
  );
  const history = () => [0, 1].map((lane) => cluster.partition(names.history, lane).bounds().end);
  return { coordinator, problem, history, log };
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
});
