import type { TopicNames } from '@holdfast/contracts';
import { createMemoryLog, MemoryGroups, type MemoryCluster, type Seats } from '@holdfast/log';
import { silentLogger, systemIds, systemTimer, type Timer } from '@holdfast/sdk';
import { Health, type ServiceLogger } from '@holdfast/service';
import { Coordinator } from '../../apps/coordinator/src/coordinator.js';
import { coordinatorConfigSchema, type CoordinatorConfig } from '../../apps/coordinator/src/coordinator.config.js';
import type { Rules } from '../../apps/coordinator/src/run/rules.js';

type Settings = {
  readonly config: Readonly<Record<string, string>>;
  readonly seats?: Seats;
  /** Its wall clock. */
  readonly now?: () => number;
  readonly rules?: Rules;
  readonly timer?: Timer;
};

/** A coordinator as it ships, on a cluster in memory, with the log that it has of it. */
export const coordinatorOn = (
  cluster: MemoryCluster,
  names: TopicNames,
  { config, seats = new MemoryGroups(cluster).seats('me'), now = Date.now, rules, timer = systemTimer }: Settings,
) => {
  const log = createMemoryLog(cluster);
  const coordinator = new Coordinator({
    config: coordinatorConfigSchema.parse({ kafkaBrokers: 'memory:1', ...config }) as CoordinatorConfig,
    log,
    names,
    seats,
    clock: { now, monotonic: () => performance.now() },
    timer,
    ids: systemIds,
    logger: silentLogger as ServiceLogger,
    health: new Health(),
    // Ends the process: nothing after it is done.
    fatal: (error) => {
      throw error;
    },
    ...(rules === undefined ? {} : { rules }),
  });
  const stop = (): Promise<void> => coordinator.stop().then(() => log.close());
  return { coordinator, log, stop };
};
