import { fileURLToPath } from 'node:url';
import type { TopicNames } from '@holdfast/contracts';
import type { Log, Seats } from '@holdfast/log';
import { systemClock, type Ids, type Timer, type ToolSet } from '@holdfast/sdk';
import {
  accessOf,
  CONFIG,
  FATAL,
  IDS,
  LOG,
  LOGGER,
  METRICS,
  publishTools,
  SEATS,
  TIMER,
  TOPIC_NAMES,
} from '@holdfast/service';
import type { Fatal, ServiceLogger } from '@holdfast/service';
import type { Metrics } from '@holdfast/telemetry';
import { Module } from '@nestjs/common';
import type { WorkerConfig } from './channel/channel.js';
import { readClocks } from './channel/shared-clock.js';
import type { ExecutorConfig } from './executor.config.js';
import { ExecutorService } from './parent/executor.service.js';
import { Supervisor } from './parent/supervisor.js';
import { forkWorker } from './parent/worker-process.js';

type Parts = [ExecutorConfig, Log, Seats, TopicNames, Timer, Ids, ServiceLogger, Fatal, Metrics];

const workerConfig = (config: ExecutorConfig): WorkerConfig => {
  const { kafkaBrokers, namespace, lanes, tools, secrets, instance, logLevel, concurrency } = config;
  const { leaseMs, heartbeatMs, skewMs, graceMs } = config;
  const names = { kafkaBrokers, access: accessOf(config), namespace, lanes, tools, secrets, instance };
  const { traceEndpoint } = config;
  return { ...names, logLevel, concurrency, leaseMs, heartbeatMs, skewMs, graceMs, traceEndpoint };
};

const supervisor = (...[config, log, seats, names, timer, ids, logger, fatal, metrics]: Parts): Supervisor => {
  const ports = { log, topics: names, ids, clock: systemClock };
  const publish = (tools: ToolSet): Promise<void> => publishTools(ports, tools, config.startByMs);
  const startWorker = forkWorker(fileURLToPath(new URL('./worker/main.js', import.meta.url)), workerConfig(config));
  return new Supervisor(
    { log, seats, names, timer, ids, logger, fatal, metrics, clocks: readClocks, startWorker, publish },
    config,
  );
};

@Module({
  providers: [
    ExecutorService,
    {
      provide: Supervisor,
      inject: [CONFIG, LOG, SEATS, TOPIC_NAMES, TIMER, IDS, LOGGER, FATAL, METRICS],
      useFactory: supervisor,
    },
  ],
})
export class ExecutorModule {}
