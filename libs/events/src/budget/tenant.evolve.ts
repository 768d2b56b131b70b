import type { SharedEventData } from '../shared/shared.events.js';
import type { Shared } from '../shared/shared.state.js';
import { addAmounts, amountOf, minusOrNone, type Amounts } from './amounts.js';
import {
  noRuns,
  tenantRun,
  withoutRunOver,
  withRunOver,
  withTenantRun,
  type RunsOver,
  type TenantRun,
  type TenantRuns,
} from './tenant.runs.js';

/** What a tenant may use, and what of it its runs have. */
export type Tenant = {
  readonly amounts: Amounts;
  /** What its runs have been granted and have not given back, of all of them together. */
  readonly committed: Amounts;
  readonly runs: TenantRuns;
  /** Runs that wait for a grant, first come first. */
  readonly queue: readonly string[];
  /** Runs that are over, in the order in which they are forgotten. */
  readonly over: RunsOver;
};

const newRun: TenantRun = { ask: 0, total: {}, waits: null, ended: null, parent: null, below: 0 };

export const applyTenantBudgetSet = (
  shared: Shared,
  { tenant, amounts }: SharedEventData<'TenantBudgetSet'>,
): Shared => {
  const known = tenantIn(shared.tenants, tenant) ?? { committed: {}, runs: noRuns, queue: [], over: [] };
  return { ...shared, tenants: { ...shared.tenants, [tenant]: { ...known, amounts } } };
};

export const applyGrantGiven = (shared: Shared, data: SharedEventData<'GrantGiven'>): Shared =>
  change(shared, data, (tenant, run) => ({
    ...withRun(tenant, data.runId, {
      ...run,
      ask: data.ask,
      total: data.total,
      waits: null,
      parent: data.parent ?? run.parent,
    }),
    committed: moved(tenant.committed, run.total, data.total),
    queue: served(tenant, data.runId, run),
  }));

export const applyGrantQueued = (shared: Shared, data: SharedEventData<'GrantQueued'>): Shared =>
  change(shared, data, (tenant, run) => {
    const { runId, ask, need, want } = data;
    const queue = run.waits === null ? [...tenant.queue, runId] : tenant.queue;
    return {
      ...withRun(tenant, runId, { ...run, ask, waits: { ask, need, want }, parent: data.parent ?? run.parent }),
      queue,
    };
  });

export const applyGrantSettled = (shared: Shared, data: SharedEventData<'GrantSettled'>): Shared =>
  change(shared, data, (tenant, run) => {
    const { runId, seq, keeps, final, until } = data;
    return {
      ...withRun(tenant, runId, { ...run, total: keeps, waits: null, ended: { seq, final } }),
      committed: moved(tenant.committed, run.total, keeps),
      queue: served(tenant, runId, run),
      over: final && run.ended?.final !== true ? withRunOver(tenant.over, { runId, until }) : tenant.over,
    };
  });

export const applyGrantForgotten = (shared: Shared, data: SharedEventData<'GrantForgotten'>): Shared =>
  change(shared, data, (tenant) => ({
    ...tenant,
    runs: withTenantRun(tenant.runs, data.runId, null),
    over: withoutRunOver(tenant.over, data.runId),
  }));

/** The next moment at which a run of a tenant is forgotten, epoch ms. */
export const nextTenantDue = (tenants: Shared['tenants']): number =>
  Math.min(Infinity, ...Object.values(tenants).map(({ over }) => over[0]?.[0]?.until ?? Infinity));

type Named = { readonly tenant: string; readonly runId: string };

const change = (shared: Shared, { tenant, runId }: Named, how: (tenant: Tenant, run: TenantRun) => Tenant): Shared => {
  const known = tenantIn(shared.tenants, tenant);
  // A tenant without a budget grants nothing, and nothing is kept about it.
  if (known === undefined) return shared;
  const run = tenantRun(known.runs, runId) ?? newRun;
  return { ...shared, tenants: { ...shared.tenants, [tenant]: how(known, run) } };
};

const withRun = (tenant: Tenant, runId: string, run: TenantRun): Tenant => ({
  ...tenant,
  runs: withTenantRun(tenant.runs, runId, run),
});

/** Who waits after this run was served; most often it is the first one. */
const served = ({ queue }: Tenant, runId: string, { waits }: TenantRun): readonly string[] => {
  const at = waits === null ? -1 : queue.indexOf(runId);
  return at < 0 ? queue : queue.toSpliced(at, 1);
};

export const tenantIn = (tenants: Shared['tenants'], name: string): Tenant | undefined =>
  Object.hasOwn(tenants, name) ? tenants[name] : undefined;

/** A run has another total now: what it had is given back, what it has is taken. */
const moved = (committed: Amounts, before: Amounts, after: Amounts): Amounts => {
  const back = Object.fromEntries(
    Object.entries(before).map(([name, amount]) => [name, minusOrNone(name, amountOf(committed, name), amount)]),
  );
  return addAmounts({ ...committed, ...back }, after);
};

/** What a tenant has left of a limit. */
export const tenantLeft = ({ amounts, committed }: Tenant, name: string) =>
  minusOrNone(name, amountOf(amounts, name), amountOf(committed, name));
