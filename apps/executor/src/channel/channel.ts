import type { CatalogueEntry } from '@holdfast/contracts';
import type { Relayed, RelayedLevel } from '@holdfast/telemetry';
import type { KafkaAccess } from '@holdfast/log';
import type { ExecutorConfig } from '../executor.config.js';
import type { Time } from '../session/session.state.js';

/** The first thing that a worker hears. */
export type WorkerConfig = Pick<
  ExecutorConfig,
  | 'kafkaBrokers'
  | 'namespace'
  | 'lanes'
  | 'tools'
  | 'secrets'
  | 'instance'
  | 'logLevel'
  | 'concurrency'
  | 'leaseMs'
  | 'heartbeatMs'
  | 'skewMs'
  | 'graceMs'
  | 'traceEndpoint'
> & { readonly access: KafkaAccess };

/** What the parent tells its worker. */
export type ToWorker =
  | { readonly type: 'open-session'; readonly session: string }
  /** A heartbeat that named these sessions, sent at `sent`, was acknowledged. */
  | {
      readonly type: 'beat-acknowledged';
      readonly sessions: readonly string[];
      readonly sent: Time;
      readonly clockOffMs: number;
      readonly clockIsRight: boolean;
    }
  | { readonly type: 'seat-gained'; readonly queue: string; readonly partition: number; readonly from: number }
  | { readonly type: 'seat-lost'; readonly queue: string; readonly partition: number }
  | { readonly type: 'quarantine'; readonly attemptIds: readonly string[]; readonly suspects: readonly string[] }
  | { readonly type: 'ping' }
  | { readonly type: 'drain'; readonly until: number };

/** What the worker tells its parent. */
export type ToParent =
  | { readonly type: 'ready'; readonly catalogue: readonly CatalogueEntry[] }
  /** It cannot start, and trying again would not help. */
  | { readonly type: 'cannot-start'; readonly problem: string }
  | { readonly type: 'pong' }
  /** What was counted since the last time, and how things stand. */
  | { readonly type: 'numbers'; readonly counted: readonly Relayed[]; readonly levels: readonly RelayedLevel[] }
  /** Told before the calls begin, so that it is known what a death interrupted. */
  | { readonly type: 'calls'; readonly begun: readonly CallBegun[]; readonly ended: readonly string[] }
  | { readonly type: 'positions'; readonly positions: readonly Position[] }
  | { readonly type: 'session-draining'; readonly session: string; readonly reason: string }
  | { readonly type: 'session-over'; readonly session: string }
  | { readonly type: 'partition-defect'; readonly queue: string; readonly partition: number; readonly detail: string }
  | { readonly type: 'drained' };

export type CallBegun = { readonly attemptId: string; readonly deadline: number; readonly pure: boolean };
export type Position = { readonly queue: string; readonly partition: number; readonly next: number };
