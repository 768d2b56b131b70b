import type { RequestOf } from '@holdfast/contracts';
import {
  addAmounts,
  amountOf,
  compareAmounts,
  DEFAULTS,
  LIMITS,
  limitsOf,
  minusOrNone,
  plus,
  sharedEvent,
  shortages,
  shortageWords,
  tenantLeft,
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
  const { runId, ask, need, want } = request.data;
  const name = request.data.tenant;
  const tenant = tenantOf(draft.lane, name);
  const run = tenant && runOf(tenant, runId);
  const issuedAt = Math.min(Date.parse(request.time) || at, at);
  if ((run && (run.ended !== null || run.ask >= ask)) || issuedAt + DEFAULTS.grantMemoryMs <= env.now) return;
  const about = { tenant: name, runId, ask };
  const total = { ...run?.total };
  const deny = (denied: string) => recordShared(draft.lane, sharedEvent('GrantGiven', { ...about, total, denied }));
  if (tenant === undefined) return deny(`tenant ${name} has no budget; set one first`);
  if (run === undefined && Object.keys(tenant.runs).length >= LIMITS.tenantRunsMax) {
    return deny(`tenant ${name} has ${LIMITS.tenantRunsMax} runs already`);
  }
  recordShared(draft.lane, sharedEvent('GrantQueued', { ...about, need: { ...need }, want: { ...want } }));
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
    for (const { runId, until } of over) {
      if (until > now || left <= 0) break;
      left -= 1;
      recordShared(lane, sharedEvent('GrantForgotten', { tenant, runId }));
    }
  }
};

const tenantOf = ({ shared }: LaneDraft, name: string): Tenant | undefined =>
  Object.hasOwn(shared.tenants, name) ? shared.tenants[name] : undefined;

const runOf = ({ runs }: Tenant, runId: string): TenantRun | undefined =>
  Object.hasOwn(runs, runId) ? runs[runId] : undefined;

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
    const found = grantFor(tenant, run, run.waits);
    if (found === 'wait' && mayBeGivenBack(tenant)) return;
    const about = { tenant: name, ask: run.waits.ask };
    if (typeof found === 'object') {
      const event = { ...about, runId, total: { ...found.total }, denied: null };
      recordShared(lane, sharedEvent('GrantGiven', event));
      continue;
    }
    deny(lane, tenant, name, found === 'never' ? runId : (tenant.queue.at(-1) ?? runId));
  }
};

/** Everybody waits for the others, or nobody is there: the last one goes without, and gives back what it has. */
// oxlint-disable-next-line max-params -- one more than its parts are worth a type
const deny = (lane: LaneDraft, tenant: Tenant, name: string, runId: string): void => {
  const run = runOf(tenant, runId);
  if (run?.waits == null) return;
  const missing = shortages(tenant.amounts, tenant.committed, lacking(tenant, run, run.waits));
  const denied = missing.length > 0 ? missing.map(shortageWords).join('; ') : 'that can not be granted';
  const { ask } = run.waits;
  recordShared(lane, sharedEvent('GrantGiven', { tenant: name, runId, ask, total: { ...run.total }, denied }));
};

/** Some run has something that it may still give back, and does not wait itself. */
const mayBeGivenBack = ({ runs }: Tenant): boolean =>
  Object.values(runs).some(({ waits, ended, ask }) => waits === null && ask > 0 && ended?.final !== true);

type Found = { readonly total: Amounts } | 'wait' | 'never';

/**
 * What a run has in all after this grant: all that it would like while that is at most half of what is left, otherwise
 * only what it needs to go on.
 */
const grantFor = (tenant: Tenant, run: TenantRun, { need, want }: Wish): Found => {
  const total: Record<string, Amount> = {};
  for (const [name, most] of Object.entries(tenant.amounts)) {
    const have = amountOf(run.total, name);
    const needed = name === 'money' ? '0' : usedUnder(need, name);
    if (compareAmounts(name, needed, most) > 0) return 'never';
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

const lacking = (tenant: Tenant, run: TenantRun, { need }: Wish): Amounts => {
  const names = Object.keys(tenant.amounts).filter((name) => name !== 'money');
  const more = names.map((name) => [name, minusOrNone(name, usedUnder(need, name), amountOf(run.total, name))]);
  return addAmounts({}, Object.fromEntries(more) as Amounts);
};
