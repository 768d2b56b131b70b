import type { Client } from '@holdfast/sdk';
import type { Output } from './output.js';

/** What a command works with. */
export type Session = {
  /** Connects when first asked, so that what can be found wrong without a cluster is said without one. */
  readonly client: () => Promise<Client>;
  readonly output: Output;
  /** `host:port`, commas between; empty where none is named. */
  readonly brokers: string;
  readonly namespace: string;
  /** Who asks, for the history. */
  readonly principal: string;
  /** Aborted by the next Ctrl-C, which otherwise ends the process. */
  readonly interrupted: () => AbortSignal;
};
