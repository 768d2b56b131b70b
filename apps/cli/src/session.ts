import type { Client } from '@holdfast/sdk';
import type { Connection } from './cluster.js';
import type { Output } from './output.js';
import type { GatewayPorts } from './views/gateway.js';
import type { Views } from './views/views.js';

/** What a command works with. */
export type Session = {
  /** Connects when first asked, so that what can be found wrong without a cluster is said without one. */
  readonly client: () => Promise<Client>;
  /** The same connection, with its log. */
  readonly cluster: () => Promise<Connection>;
  /** What can be seen: through the gateway where one is named, else by reading the log. */
  readonly views: () => Promise<Views>;
  /** Null where none is named. */
  readonly gateway: GatewayPorts | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  /** `host:port`, commas between; empty where none is named. */
  readonly brokers: string;
  readonly namespace: string;
  /** Who asks, for the history. */
  readonly principal: string;
  /** Aborted by the next Ctrl-C, which otherwise ends the process. */
  readonly interrupted: () => AbortSignal;
};
