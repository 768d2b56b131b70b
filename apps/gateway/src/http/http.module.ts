import type { TopicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import {
  CLOCK,
  CONFIG,
  Health,
  IDS,
  LOG,
  LOGGER,
  TIMER,
  TOPIC_NAMES,
  type Clock,
  type Ids,
  type ServiceLogger,
  type Timer,
} from '@holdfast/service';
import { createClient } from '@holdfast/sdk';
import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type FactoryProvider,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import type { GatewayConfig } from '../gateway.config.js';
import { Database } from '../store/database.js';
import { States } from '../store/states.js';
import { accessOf } from './auth/access.js';
import { RoleGuard } from './auth/role.guard.js';
import { AccessController } from './controllers/access.controller.js';
import { CatalogueController } from './controllers/catalogue.controller.js';
import { ClusterController } from './controllers/cluster.controller.js';
import { DeadLettersController } from './controllers/dead-letters.controller.js';
import { ForksController } from './controllers/forks.controller.js';
import { LiveController } from './controllers/live.controller.js';
import { McpController } from './controllers/mcp.controller.js';
import { RequestsController } from './controllers/requests.controller.js';
import { RunsController } from './controllers/runs.controller.js';
import { StepsController } from './controllers/steps.controller.js';
import { TurnsController } from './controllers/turns.controller.js';
import { Bell } from './live/bell.js';
import { News } from './live/news.js';
import { PARTS, type HttpParts } from './parts.js';
import { ProblemFilter } from './problem.filter.js';
import { PROJECTIONS, type Projections } from './projections.port.js';
import { projections } from './projections.provider.js';
import { ReplyInterceptor } from './serves.js';
import { tracedClient } from './watching.js';

export const controllers: readonly Type[] = [
  RunsController,
  StepsController,
  TurnsController,
  RequestsController,
  ForksController,
  ClusterController,
  CatalogueController,
  DeadLettersController,
  LiveController,
  AccessController,
  McpController,
];

type Injected = [
  ...[GatewayConfig, Database, Log, TopicNames, Projections, Health],
  ...[ServiceLogger, Clock, Ids, Timer],
];

const parts: FactoryProvider<HttpParts> = {
  provide: PARTS,
  inject: [CONFIG, Database, LOG, TOPIC_NAMES, PROJECTIONS, Health, LOGGER, CLOCK, IDS, TIMER],
  useFactory: (...[config, database, log, names, projections, health, logger, clock, ids, timer]: Injected) => {
    const client = tracedClient(createClient({ log, topics: names, lanes: config.lanes, clock, ids, timer }));
    const access = accessOf(config, { database, clock, logger, fetch });
    const own = { client, access, states: new States(database), bell: new Bell() };
    return { config, database, log, names, projections, health, logger, clock, ids, timer, ...own };
  },
};

/** What has to be begun and ended with the service. */
@Injectable()
class HttpService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly news: News;
  private readonly auth: readonly string[];

  constructor(
    @Inject(PARTS) private readonly parts: HttpParts,
    @Inject(CONFIG) { databaseUrl: url, auth }: GatewayConfig,
  ) {
    this.auth = auth;
    const { bell, database, timer, logger } = parts;
    this.news = new News(bell, database, { url, timer, logger });
  }

  onApplicationBootstrap(): void {
    const { required } = this.parts.access.authenticator;
    if (required) this.parts.logger.info({ auth: this.auth }, 'whoever asks has to say who they are');
    else this.parts.logger.warn({}, 'nobody is asked who they are: whoever reaches this machine may do everything');
    this.news.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.news.stop();
    await this.parts.client.close();
  }
}

/** How whatever is thrown or answered by a controller leaves. */
export const around = [
  { provide: APP_GUARD, useClass: RoleGuard },
  { provide: APP_FILTER, useClass: ProblemFilter },
  { provide: APP_INTERCEPTOR, useClass: ReplyInterceptor },
];

/** The HTTP API over a module that has the database and makes the rows. */
@Module({})
export class HttpModule {
  static over(...imports: readonly Type[]): DynamicModule {
    return {
      module: HttpModule,
      imports: [...imports],
      controllers: [...controllers],
      providers: [projections, parts, ...around, HttpService],
    };
  }
}
