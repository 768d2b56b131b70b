import type { SharedEventData } from '../shared/shared.events.js';
import type { Shared } from '../shared/shared.state.js';
import { addAmounts, amountOf, minusOrNone, type Amounts } from './amounts.js';

/** What a tenant may use, and what of it its runs have. */
export type Tenant = {
  readonly amounts: Amounts;
  /** What its runs have been granted and have not given back, of all of them together. */
  readonly committed: Amounts;
  readonly runs: Readonly<Record<string, TenantRun>>;
  /** Runs that wait for a grant, first come first. */
  readonly queue: readonly string[];
  /** Runs that are over, in the order in which they are forgotten. */
  readonly over: readonly { readonly runId: string; readonly until: number }[];
};

export type TenantRun = {
  readonly ask: number;
  readonly total: Amounts;
  readonly waits: Wish | null;
  readonly ended: { readonly seq: number; readonly final: boolean } | null;
};
export type Wish = { readonly ask: number; readonly need: Amounts; readonly want: Amounts };

const newRun: TenantRun = { ask: 0, total: {}, waits: null, ended: null };

export const applyTenantBudgetSet = (
  shared: Shared,
  { tenant, amounts }: SharedEventData<'TenantBudgetSet'>,
): Shared => {
  const known = shared.tenants[tenant] ?? { committed: {}, runs: {}, queue: [], over: [] };
  return { ...shared, tenants: { ...shared.tenants, [tenant]: { ...known, amounts } } };
};

export const applyGrantGiven = (shared: Shared, data: SharedEventData<'GrantGiven'>): Shared =>
  change(shared, data, (tenant, run) => ({
    ...withRun(tenant, data.runId, { ...run, ask: data.ask, total: data.total, waits: null }),
    committed: moved(tenant.committed, run.total, data.total),
    queue: without(tenant.queue, data.runId),
  }));

export const applyGrantQueued = (shared: Shared, data: SharedEventData<'GrantQueued'>): Shared =>
  change(shared, data, (tenant, run) => {
    const { runId, ask, need, want } = data;
    const queue = tenant.queue.includes(runId) ? tenant.queue : [...tenant.queue, runId];
    return { ...withRun(tenant, runId, { ...run, ask, waits: { ask, need, want } }), queue };
  });

export const applyGrantSettled = (shared: Shared, data: SharedEventData<'GrantSettled'>): Shared =>
  change(shared, data, (tenant, run) => {
    const { runId, seq, keeps, final, until } = data;
    const over = tenant.over.filter((known) => known.runId !== runId);
    return {
      ...withRun(tenant, runId, { ...run, total: keeps, waits: null, ended: { seq, final } }),
      committed: moved(tenant.committed, run.total, keeps),
      queue: without(tenant.queue, runId),
      over: final ? [...over, { runId, until }] : over,
    };
  });

export const applyGrantForgotten = (shared: Shared, data: SharedEventData<'GrantForgotten'>): Shared =>
  change(shared, data, (tenant) => {
    const { [data.runId]: _, ...runs } = tenant.runs;
    return { ...tenant, runs, over: tenant.over.filter(({ runId }) => runId !== data.runId) };
  });

/** The next moment at which a run of a tenant is forgotten, epoch ms. */
export const nextTenantDue = (tenants: Shared['tenants']): number =>
  Math.min(Infinity, ...Object.values(tenants).map(({ over }) => over[0]?.until ?? Infinity));

type Named = { readonly tenant: string; readonly runId: string };

const change = (shared: Shared, { tenant, runId }: Named, how: (tenant: Tenant, run: TenantRun) => Tenant): Shared => {
  const known = shared.tenants[tenant];
  // A tenant without a budget grants nothing, and nothing is kept about it.
  if (known === undefined) return shared;
  const run = Object.hasOwn(known.runs, runId) ? (known.runs[runId] ?? newRun) : newRun;
  return { ...shared, tenants: { ...shared.tenants, [tenant]: how(known, run) } };
};

const withRun = (tenant: Tenant, runId: string, run: TenantRun): Tenant => ({
  ...tenant,
  runs: { ...tenant.runs, [runId]: run },
});

const without = (queue: readonly string[], runId: string): readonly string[] =>
  queue.includes(runId) ? queue.filter((known) => known !== runId) : queue;

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
