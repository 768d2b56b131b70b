import {
  Inject,
  Injectable,
  Module,
  type FactoryProvider,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import {
  CLOCK,
  CONFIG,
  FATAL,
  Health,
  IDS,
  LOG,
  LOGGER,
  METRICS,
  SEATS,
  TIMER,
  TOPIC_NAMES,
  TRACES,
} from '@holdfast/service';
import type { Metrics, Traces } from '@holdfast/telemetry';
import { Coordinator, type CoordinatorParts } from './coordinator.js';

type Injected = [
  CoordinatorParts['config'],
  CoordinatorParts['log'],
  CoordinatorParts['seats'],
  CoordinatorParts['names'],
  CoordinatorParts['clock'],
  CoordinatorParts['timer'],
  CoordinatorParts['ids'],
  CoordinatorParts['logger'],
  CoordinatorParts['health'],
  CoordinatorParts['fatal'],
  Metrics,
  Traces,
];

const coordinator: FactoryProvider<Coordinator> = {
  provide: Coordinator,
  inject: [CONFIG, LOG, SEATS, TOPIC_NAMES, CLOCK, TIMER, IDS, LOGGER, Health, FATAL, METRICS, TRACES],
  useFactory: (...[config, log, seats, names, clock, timer, ids, logger, health, fatal, metrics, traces]: Injected) =>
    new Coordinator({ config, log, seats, names, clock, timer, ids, logger, health, fatal, metrics, traces }),
};

@Injectable()
class CoordinatorService implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(Coordinator) private readonly coordinator: Coordinator) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.coordinator.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.coordinator.stop();
  }
}

/** Sole writer of history. */
@Module({ providers: [coordinator, CoordinatorService] })
export class CoordinatorModule {}
