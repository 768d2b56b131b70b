import { nextTenantDue, type Tenant } from '../budget/tenant.evolve.js';
import { nextKeyDue, type Keys } from './key.state.js';
import type { SharedEventData } from './shared.events.js';

/** What a lane holds beside its runs: what several runs share, and what waits for runs to come. Never mutated. */
export type Shared = {
  /** Cancels that came before their run, by `cancelKey`; oldest first. */
  readonly cancels: Readonly<Record<string, RememberedCancel>>;
  /** Concurrency keys of which this lane says who has them. */
  readonly keys: Keys;
  /** Cancels of many runs that are under way, by request id; oldest first. */
  readonly bulkCancels: Readonly<Record<string, BulkCancel>>;
  /** Budgets that several runs live on, by the name of whoever pays for them. */
  readonly tenants: Readonly<Record<string, Tenant>>;
};
export type BulkCancel = SharedEventData<'BulkCancelRequested'> & { readonly cancelled: number };
export type RememberedCancel = SharedEventData<'CancelRemembered'>;

/** A cancel that means one child alone says nothing about another run of that id. */
export const cancelKey = ({ runId, child }: { readonly runId: string; readonly child?: string | undefined }): string =>
  child === undefined ? runId : `${runId}/${child}`;

export const emptyShared: Shared = { cancels: {}, keys: {}, bulkCancels: {}, tenants: {} };

/** The next moment at which time alone may lead to something for what is shared, epoch ms. */
export const nextSharedDue = ({ cancels, keys, bulkCancels, tenants }: Shared): number => {
  if (Object.keys(bulkCancels).length > 0) return 0;
  let due = nextTenantDue(tenants);
  for (const { until } of Object.values(cancels)) due = Math.min(due, until);
  return Math.min(due, nextKeyDue(keys));
};
