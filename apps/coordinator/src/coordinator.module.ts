import { Inject, Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { TopicNames } from '@holdfast/contracts';
import type { Log, Seats } from '@holdfast/log';
import type { Clock, Ids, Timer } from '@holdfast/sdk';
import * as shell from '@holdfast/service';
import { Coordinator } from './coordinator.js';
import type { CoordinatorConfig } from './coordinator.config.js';

@Injectable()
class CoordinatorService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #coordinator: Coordinator;

  constructor(
    @Inject(shell.CONFIG) config: CoordinatorConfig,
    @Inject(shell.LOG) log: Log,
    @Inject(shell.SEATS) seats: Seats,
    @Inject(shell.TOPIC_NAMES) names: TopicNames,
    @Inject(shell.CLOCK) clock: Clock,
    @Inject(shell.TIMER) timer: Timer,
    @Inject(shell.IDS) ids: Ids,
    @Inject(shell.LOGGER) logger: shell.ServiceLogger,
    @Inject(shell.Health) health: shell.Health,
    @Inject(shell.FATAL) fatal: shell.Fatal,
  ) {
    this.#coordinator = new Coordinator({ config, log, seats, names, clock, timer, ids, logger, health, fatal });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#coordinator.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#coordinator.stop();
  }
}

/** Sole writer of history. */
@Module({ providers: [CoordinatorService] })
export class CoordinatorModule {}
