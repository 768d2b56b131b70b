import { Module, type FactoryProvider } from '@nestjs/common';
import type { Log } from '@holdfast/log';
import type { TopicNames } from '@holdfast/contracts';
import {
  CLOCK,
  CONFIG,
  LOG,
  LOGGER,
  METRICS,
  TIMER,
  TOPIC_NAMES,
  type Clock,
  type ServiceLogger,
  type Timer,
} from '@holdfast/service';
import type { Metrics } from '@holdfast/telemetry';
import type { GatewayConfig } from './gateway.config.js';
import { Projecting } from './projecting.js';
import { ProjectingService } from './projecting.service.js';
import { Database } from './store/database.js';

const database: FactoryProvider<Database> = {
  provide: Database,
  inject: [CONFIG, LOGGER],
  useFactory: ({ databaseUrl, databaseConnections }: GatewayConfig, logger: ServiceLogger) =>
    new Database({ url: databaseUrl, connections: databaseConnections, logger }),
};

type Injected = [GatewayConfig, Database, Log, TopicNames, Clock, Timer, ServiceLogger, Metrics];

const projecting: FactoryProvider<Projecting> = {
  provide: Projecting,
  inject: [CONFIG, Database, LOG, TOPIC_NAMES, CLOCK, TIMER, LOGGER, METRICS],
  useFactory: (...[config, opened, log, names, clock, timer, logger, metrics]: Injected) =>
    new Projecting({ database: opened, log, names, clock, timer, logger, metrics, ...keeping(config) }),
};

const DAY_MS = 86_400_000;

const keeping = ({ retentionDays, shadowRate }: GatewayConfig) => ({
  shadowRate,
  retentionMs: retentionDays === undefined ? null : retentionDays * DAY_MS,
});

/** Rows out of histories, and the database in which they are. */
@Module({ providers: [database, projecting, ProjectingService], exports: [Database, Projecting] })
export class ProjectingModule {}
