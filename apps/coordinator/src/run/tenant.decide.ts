import type { RequestOf } from '@holdfast/contracts';
import {
  addAmounts,
  amountOf,
  compareAmounts,
  DEFAULTS,
  exceeded,
  LIMITS,
  limitsOf,
  minusOrNone,
  plus,
  sharedEvent,
  shortages,
  shortageWords,
  tenantIn,
  tenantLeft,
  tenantRun,
  usedUnder,
  type Amount,
  type Amounts,
  type Tenant,
  type TenantRun,
  type Wish,
} from '@holdfast/events';
import type { Budget } from '@holdfast/programs';
import { recordShared, type LaneDraft, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { refuse } from './refuse.js';

/** What a tenant may use from now on. Runs that wait for it are served at once. */
export const decideTenantBudget = (draft: RunDraft, request: RequestOf<'SetTenantBudget'>): void => {
  const { data, principal } = request;
  const { tenant, requestId, runId, budget } = data;
  const { tenants } = draft.lane.shared;
  if (!Object.hasOwn(tenants, tenant) && Object.keys(tenants).length >= LIMITS.tenantsMax) {
    const message = `this lane holds ${LIMITS.tenantsMax} budgets of tenants already`;
    return refuse(draft, request, { code: 'too_many_tenants', message });
  }
  const amounts = { ...amountsIn(budget) };
  recordShared(draft.lane, sharedEvent('TenantBudgetSet', { runId, tenant, requestId, principal, amounts }));
  serve(draft.lane, tenant);
};

/** Only what is said bounds a tenant: it has no defaults. */
const amountsIn = (budget: Budget): Amounts => {
  const said = Object.entries(budget).flatMap(([name, value]) =>
    value == null || value === 'unlimited' ? [] : [name],
  );
  const byTool = typeof budget.calls === 'object';
  const { amounts } = limitsOf(budget);
  const named = Object.entries(amounts).filter(
    ([name]) => said.includes(name.split(':')[0] ?? '') && !(byTool && name === 'calls'),
  );
  return Object.fromEntries(named);
};

type Asked = { readonly request: RequestOf<'AskGrant'>; readonly at: number };

/** A run asks for more. What it asked before its end, or too long ago, is not granted: it would never be given back. */
export const decideAsk = (draft: RunDraft, { request, at }: Asked, env: Env): void => {
  const { runId, ask, need, want, parent } = request.data;
  const name = request.data.tenant;
  const tenant = tenantOf(draft.lane, name);
  const run = tenant && runOf(tenant, runId);
  const issuedAt = Math.min(Date.parse(request.time) || at, at);
  if ((run && (run.ended !== null || run.ask >= ask)) || issuedAt + DEFAULTS.grantMemoryMs <= env.now) return;
  const about = { tenant: name, runId, ask, ...(parent === undefined ? {} : { parent }) };
  const total = { ...run?.total };
  const deny = (denied: string) => recordShared(draft.lane, sharedEvent('GrantGiven', { ...about, total, denied }));
  if (tenant === undefined) return deny(`tenant ${name} has no budget; set one first`);
  if (run === undefined && tenant.runs.open >= LIMITS.tenantRunsMax) {
    return deny(`tenant ${name} has ${LIMITS.tenantRunsMax} runs already`);
  }
  // It waits and asks again.
  if (run === undefined && tenant.runs.known >= LIMITS.tenantRunsMax + LIMITS.tenantRunsOverMax) return;
  const wish = { ask, need: { ...need }, want: { ...want } };
  if (tenant.queue.length === 0 && serveOne(draft.lane, { name, tenant, runId, run, parent }, wish)) return;
  recordShared(draft.lane, sharedEvent('GrantQueued', { ...about, ...wish }));
  serve(draft.lane, name);
};

/** A run is over, or is known better since: what it has not used is there for others. */
export const decideReturn = (
  draft: RunDraft,
  { request, at }: { request: RequestOf<'ReturnGrant'>; at: number },
  env: Env,
): void => {
  const { runId, tenant: name, seq, spent, final } = request.data;
  const tenant = tenantOf(draft.lane, name);
  if (tenant === undefined) return;
  const run = runOf(tenant, runId);
  if (run?.ended && run.ended.seq >= seq) return;
  // It has been forgotten, and what it used is counted for good.
  if (run === undefined && at + DEFAULTS.grantMemoryMs <= env.now) return;
  const until = env.now + 2 * DEFAULTS.grantMemoryMs;
  const keeps = run === undefined || run.ask === 0 ? {} : keptOf(tenant, run, spent);
  recordShared(draft.lane, sharedEvent('GrantSettled', { tenant: name, runId, seq, keeps, final, until }));
  serve(draft.lane, name);
};

const keptOf = (tenant: Tenant, run: TenantRun, spent: Amounts): Record<string, Amount> => {
  const names = new Set([...Object.keys(tenant.amounts), ...Object.keys(run.total)]);
  names.delete('money');
  return Object.fromEntries([...names].map((name) => [name, usedUnder(spent, name)]));
};

/** Runs that are over long enough. Nothing that they asked can still arrive in time to count. */
export const forgetGrants = (lane: LaneDraft, now: number, eventsMax: number): void => {
  let left = eventsMax;
  for (const [tenant, { over }] of Object.entries(lane.shared.tenants)) {
    // More than that is not forgotten at once.
    for (const { runId, until } of over.slice(0, 2).flat()) {
      if (until > now || left <= 0) break;
      left -= 1;
      recordShared(lane, sharedEvent('GrantForgotten', { tenant, runId }));
    }
  }
};

const tenantOf = ({ shared }: LaneDraft, name: string): Tenant | undefined => tenantIn(shared.tenants, name);

const runOf = ({ runs }: Tenant, runId: string): TenantRun | undefined => tenantRun(runs, runId);

/** How many runs are served in one decision; the others are in the next batch. */
const SERVED_MAX = 64;

/** Goes on with tenants for whom more runs waited than one decision serves. */
export const serveOn = (lane: LaneDraft, eventsMax: number): void => {
  const end = lane.batch.length + eventsMax;
  for (const name of lane.unserved) if (lane.batch.length < end) serve(lane, name);
};

/** Grants what is left, first come first; who can not be served any more is told so. */
const serve = (lane: LaneDraft, name: string): void => {
  const end = lane.batch.length + SERVED_MAX;
  lane.unserved.delete(name);
  for (;;) {
    if (lane.batch.length >= end) return void lane.unserved.add(name);
    const tenant = tenantOf(lane, name);
    const runId = tenant?.queue[0];
    if (tenant === undefined || runId === undefined) return;
    const run = runOf(tenant, runId);
    if (run?.waits == null) return;
    if (serveOne(lane, { name, tenant, runId, run }, run.waits)) continue;
    if (tenant.runs.giving > 0) return;
    // Everybody waits for the others, or nobody is there: the last one goes without, and gives back what it has.
    const last = tenant.queue.at(-1) ?? runId;
    const wish = runOf(tenant, last)?.waits;
    if (wish == null) return;
    deny(lane, { name, tenant, runId: last, run: runOf(tenant, last) }, wish);
  }
};

type Asking = {
  readonly name: string;
  readonly tenant: Tenant;
  readonly runId: string;
  readonly run: TenantRun | undefined;
  /** Where that is not known of the run yet. */
  readonly parent?: string | undefined;
};

/** Grants what a run asks for, or says that it never gets it. Answers whether it has an answer. */
const serveOne = (lane: LaneDraft, asking: Asking, wish: Wish): boolean => {
  const { name, tenant, runId, run } = asking;
  const found = grantFor(tenant, run?.total ?? {}, wish);
  if (found === 'wait') return false;
  if (found === 'never') deny(lane, asking, wish);
  else {
    const event = { tenant: name, ask: wish.ask, runId, total: { ...found.total }, denied: null, ...under(asking) };
    recordShared(lane, sharedEvent('GrantGiven', event));
  }
  return true;
};

const under = ({ parent }: Asking) => (parent === undefined ? {} : { parent });

const deny = (lane: LaneDraft, asking: Asking, { ask, need }: Wish): void => {
  const { name, tenant, runId, run } = asking;
  const total = run?.total ?? {};
  const lacks = lacking(tenant, total, need);
  const missing = [
    ...exceeded(tenant.amounts, tenant.committed),
    ...shortages(tenant.amounts, tenant.committed, lacks),
  ];
  const denied = missing.length > 0 ? missing.map(shortageWords).join('; ') : 'that can not be granted';
  const event = { tenant: name, runId, ask, total: { ...total }, denied, ...under(asking) };
  recordShared(lane, sharedEvent('GrantGiven', event));
};

type Found = { readonly total: Amounts } | 'wait' | 'never';

/**
 * What a run has in all after this grant: all that it would like while that is at most half of what is left, otherwise
 * only what it needs to go on.
 */
const grantFor = (tenant: Tenant, had: Amounts, { need, want }: Wish): Found => {
  const total: Record<string, Amount> = {};
  for (const [name, most] of Object.entries(tenant.amounts)) {
    const have = amountOf(had, name);
    const needed = name === 'money' ? '0' : usedUnder(need, name);
    if (compareAmounts(name, needed, most) > 0) return 'never';
    if (compareAmounts(name, amountOf(tenant.committed, name), most) > 0) return 'wait';
    const left = tenantLeft(tenant, name);
    const wanted = name === 'money' ? '0' : usedUnder(want, name);
    const more = minusOrNone(name, wanted, have);
    if (compareAmounts(name, needed, have) <= 0) total[name] = have;
    else if (compareAmounts(name, plus(name, more, more), left) <= 0) total[name] = wanted;
    else if (compareAmounts(name, minusOrNone(name, needed, have), left) <= 0) total[name] = needed;
    else return 'wait';
  }
  return shortages(total, {}, need).length > 0 ? 'never' : { total };
};

const lacking = (tenant: Tenant, had: Amounts, need: Amounts): Amounts => {
  const names = Object.keys(tenant.amounts).filter((name) => name !== 'money');
  const more = names.map((name) => [name, minusOrNone(name, usedUnder(need, name), amountOf(had, name))]);
  return addAmounts({}, Object.fromEntries(more) as Amounts);
};
