import { encode, type TopicNames } from '@holdfast/contracts';
import { DEFAULTS, toolRef } from '@holdfast/events';
import type { Log, MemoryCluster, Seats } from '@holdfast/log';
import { gzipAtOnce, silentLogger, type ToolSet } from '@holdfast/sdk';
import { Health, type ServiceLogger } from '@holdfast/service';
import type { CoordinatorConfig } from '../../../apps/coordinator/src/coordinator.config.js';
import { Coordinator } from '../../../apps/coordinator/src/coordinator.js';
import type { ToParent } from '../../../apps/executor/src/channel/channel.js';
import { Supervisor } from '../../../apps/executor/src/parent/supervisor.js';
import type { StartWorker } from '../../../apps/executor/src/parent/worker-process.js';
import { Worker } from '../../../apps/executor/src/worker/worker.js';
import type { ReconcilerConfig } from '../../../apps/reconciler/src/reconciler.config.js';
import { ReconcilerService } from '../../../apps/reconciler/src/reconciler.service.js';
import { Reconciling } from '../../../apps/reconciler/src/reconciling.js';
import type { AllRules } from '../rules.js';
import { EPOCH, TICK_MS, type SimProcess } from '../engine/process.js';

/** Short enough that a history takes seconds, with the same order between them as the defaults. Ms. */
export const TIMES = {
  leaseMs: 3_000,
  heartbeatMs: 500,
  skewMs: 200,
  graceMs: 400,
  startByMs: 6_000,
  settleByMs: 30_000,
  escalationMs: 60_000,
  cancelMs: 8_000,
  runMs: 600_000,
  drainMs: 3_000,
  tickMs: TICK_MS,
  probeFirstMs: 200,
  probeMaxMs: 1_000,
  questionMs: 2_000,
} as const;

export type Surroundings = {
  readonly process: SimProcess;
  readonly log: Log;
  readonly seats: Seats;
  readonly names: TopicNames;
  readonly lanes: number;
  readonly concurrency: number;
  readonly snapshotEvents: number;
  readonly rules: AllRules;
  /** What a service that gives up says. */
  readonly fatal: (error: unknown) => void;
};

const logger = { ...silentLogger, fatal: () => undefined } as unknown as ServiceLogger;

export const startCoordinator = (around: Surroundings): Coordinator => {
  const { process, log, seats, names, lanes, rules, fatal, snapshotEvents } = around;
  const { clock, timer, ids } = process;
  const config = {
    ...TIMES,
    lanes,
    probesMax: DEFAULTS.probesMax,
    acceptLostInputs: [] as string[],
    snapshotEvents,
    snapshotEveryMs: 0,
  };
  const coordinator = new Coordinator({
    config: config as unknown as CoordinatorConfig,
    log,
    seats,
    names,
    clock,
    timer,
    ids,
    logger,
    health: new Health(),
    fatal,
    rules: rules.coordinator,
    packing: gzipAtOnce,
  });
  void coordinator.start();
  return coordinator;
};

export const startReconciler = (around: Surroundings, tools: ToolSet): void => {
  const { process, log, seats, names, lanes, rules, fatal } = around;
  const { clock, timer, ids } = process;
  const config = { ...TIMES, lanes, questions: 16 } as unknown as ReconcilerConfig;
  const own = { rules: rules.reconciler, packing: gzipAtOnce };
  const parts = { config, tools, log, names, clock, timer, ids, logger, fatal, ...own };
  const service = new ReconcilerService(new Reconciling(parts), seats, timer, new Health());
  void service.onApplicationBootstrap();
};

export const startParent = (around: Surroundings, startWorker: StartWorker): Supervisor => {
  const { process, log, seats, names, concurrency, fatal } = around;
  const { timer, ids } = process;
  const supervisor = new Supervisor(
    {
      log,
      seats,
      names,
      timer,
      ids,
      logger,
      clocks: () => process.times(),
      startWorker,
      publish: () => Promise.resolve(),
      fatal,
    },
    { ...TIMES, concurrency, deathsMax: DEFAULTS.deathsMax },
  );
  supervisor.start();
  return supervisor;
};

export type WorkerLines = { readonly tell: (message: ToParent) => void; readonly drained: () => void };

export const startWorker = (around: Surroundings, tools: ToolSet, lines: WorkerLines): Worker => {
  const { process, log, names, lanes, concurrency, rules } = around;
  const worker = new Worker(
    { log, names, lanes, tools, timer: process.timer, logger, clocks: () => process.times(), ...lines },
    {
      rules: rules.session,
      concurrency,
      leaseMs: TIMES.leaseMs,
      leaseMarginMs: TIMES.heartbeatMs,
      skewMs: TIMES.skewMs,
      graceMs: TIMES.graceMs,
    },
  );
  lines.tell({ type: 'ready', catalogue: tools.catalogue() });
  return worker;
};

/** The catalogue as an executor would have written it. */
export const offerTools = (cluster: MemoryCluster, names: TopicNames, tools: ToolSet): void => {
  const entries = tools.catalogue().map((data) => {
    const head = { type: 'ToolOffered', version: 1, source: 'holdfast/executor', principal: null } as const;
    const ref = toolRef(data);
    return { key: ref, value: encode({ ...head, id: ref, subject: ref, time: new Date(EPOCH).toISOString(), data }) };
  });
  cluster.partition(names.tools, 0).append(entries);
};
