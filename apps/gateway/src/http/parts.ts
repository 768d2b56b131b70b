import type { TopicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import type { Clock, Health, Ids, ServiceLogger, Timer } from '@holdfast/service';
import type { Client } from '@holdfast/sdk';
import type { GatewayConfig } from '../gateway.config.js';
import type { Rows } from '../store/rows.js';
import type { States } from '../store/states.js';
import type { Access } from './auth/access.js';
import type { Bell } from './live/bell.js';
import type { Projections } from './projections.port.js';

/** What the controllers work with. */
export type HttpParts = {
  readonly config: Pick<GatewayConfig, 'lanes' | 'namespace' | 'leaseMs' | 'graceMs' | 'skewMs' | 'mcp'>;
  readonly database: Rows;
  readonly states: Pick<States, 'at'>;
  /** Everything that changes something goes over it. */
  readonly client: Client;
  readonly log: Log;
  readonly names: TopicNames;
  readonly projections: Projections;
  readonly access: Access;
  readonly bell: Bell;
  readonly health: Pick<Health, 'report'>;
  readonly logger: ServiceLogger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timer: Timer;
};

export const PARTS = Symbol('PARTS');
