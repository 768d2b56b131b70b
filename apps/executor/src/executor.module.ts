import { fileURLToPath } from 'node:url';
import type { TopicNames } from '@holdfast/contracts';
import type { Log, Seats } from '@holdfast/log';
import type { Ids, Timer } from '@holdfast/sdk';
import { CONFIG, FATAL, IDS, LOG, LOGGER, SEATS, TIMER, TOPIC_NAMES } from '@holdfast/service';
import type { Fatal, ServiceLogger } from '@holdfast/service';
import { Module } from '@nestjs/common';
import { readClocks } from './channel/shared-clock.js';
import type { ExecutorConfig } from './executor.config.js';
import { ExecutorService } from './parent/executor.service.js';
import { Supervisor } from './parent/supervisor.js';
import { forkWorker } from './parent/worker-process.js';

type Parts = [ExecutorConfig, Log, Seats, TopicNames, Timer, Ids, ServiceLogger, Fatal];

const supervisor = (...[config, log, seats, names, timer, ids, logger, fatal]: Parts): Supervisor => {
  const startWorker = forkWorker(fileURLToPath(new URL('./worker/main.js', import.meta.url)));
  return new Supervisor({ log, seats, names, timer, ids, logger, fatal, clocks: readClocks, startWorker }, config);
};

@Module({
  providers: [
    ExecutorService,
    {
      provide: Supervisor,
      inject: [CONFIG, LOG, SEATS, TOPIC_NAMES, TIMER, IDS, LOGGER, FATAL],
      useFactory: supervisor,
    },
  ],
})
export class ExecutorModule {}
