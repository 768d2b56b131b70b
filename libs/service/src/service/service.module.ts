import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import type { TopicNames } from '@holdfast/contracts';
import { systemClock, systemIds, systemTimer } from '@holdfast/sdk';
import type { Metrics, Traces } from '@holdfast/telemetry';
import type { BaseConfig } from '../config/base-config.js';
import { Health } from '../health/health.js';
import type { Kafka } from '../kafka/kafka.js';
import type { ServiceLogger } from '../logger.js';
import * as tokens from '../tokens.js';

/** What the shell offers to every provider of a service. */
export type ServiceParts = {
  readonly config: BaseConfig;
  readonly logger: ServiceLogger;
  readonly names: TopicNames;
  readonly kafka: Kafka;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly fatal: tokens.Fatal;
};

/** The root of a service: the shell's parts under their tokens, and the service's own module. */
@Module({})
export class ServiceModule {
  static around(service: DynamicModule | Type, parts: ServiceParts): DynamicModule {
    const { log, seats, topics } = parts.kafka;
    const providers: Provider[] = [
      { provide: tokens.CONFIG, useValue: parts.config },
      { provide: tokens.LOGGER, useValue: parts.logger },
      { provide: tokens.CLOCK, useValue: systemClock },
      { provide: tokens.IDS, useValue: systemIds },
      { provide: tokens.TIMER, useValue: systemTimer },
      { provide: tokens.LOG, useValue: log },
      { provide: tokens.SEATS, useValue: seats },
      { provide: tokens.TOPICS, useValue: topics },
      { provide: tokens.TOPIC_NAMES, useValue: parts.names },
      { provide: tokens.METRICS, useValue: parts.metrics },
      { provide: tokens.TRACES, useValue: parts.traces },
      { provide: tokens.FATAL, useValue: parts.fatal },
      { provide: Health, useValue: parts.health },
    ];
    const exports = providers.map((provider) => (provider as { provide: symbol | typeof Health }).provide);
    return { module: ServiceModule, global: true, imports: [service], providers, exports };
  }
}
