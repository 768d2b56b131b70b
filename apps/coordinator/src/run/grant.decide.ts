import type { RequestOf } from '@holdfast/contracts';
import {
  addAmounts,
  amountOf,
  amountsBeyond,
  compareAmounts,
  DEFAULTS,
  exceeded,
  isNone,
  runEvent,
  shareOf,
  shortages,
  spentOfGrant,
  times,
  lesser,
  minusOrNone,
  type Amount,
  type Amounts,
  type Grant,
  type LiveRun,
  type Shortage,
} from '@holdfast/events';
import { exhaust } from './exhaust.decide.js';
import { heldBack, mayBeGivenBack } from './given-back.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';

/**
 * What must be granted in all for an attempt, where what was granted so far does not allow it; null where it does. What
 * calls have used beyond it must be granted as well before another one begins.
 */
export const grantShortage = ({ total }: Grant, spent: Amounts, wanted: Amounts): Amounts | null => {
  // What settles a doubt lives on what is reserved already.
  if (Object.keys(wanted).length === 0) return null;
  return total !== null && shortOfTotal(total, spent, wanted).length === 0 ? null : addAmounts(spent, wanted);
};

const shortOfTotal = (total: Amounts, spent: Amounts, wanted: Amounts): readonly Shortage[] => [
  ...exceeded(total, spent),
  ...shortages(total, spent, wanted),
];

/** What is missing of what was granted, where all of it may be given back by what is under way; null where it can not. */
const heldOfTotal = (run: LiveRun, { total }: Grant, wanted: Amounts): string | null => {
  const short = total === null ? [] : shortOfTotal(total, spentOfGrant(run), wanted);
  return short.length > 0 && short.every((one) => mayBeGivenBack(run, one, ({ granted }) => !granted))
    ? heldBack(short)
    : null;
};

/** A tenant is not asked again for every step: the run asks for this many at a time, as far as its own limits go. */
const AHEAD = 32;

/**
 * Asks the tenant for more, once at a time. Answers what the run waits for: where nothing more is granted that is what
 * its own attempts may give back.
 */
export const askGrant = (draft: RunDraft, need: Amounts, now: number): readonly string[] => {
  const run = liveRun(draft);
  const grant = run?.budget.grant;
  if (run === undefined || !grant) return [];
  const { tenant, ask, open, askedAt, denied } = grant;
  const held = denied === null ? null : heldOfTotal(run, grant, amountsBeyond(need, spentOfGrant(run)));
  if (held !== null) return [`its budget of tenant ${tenant} for ${held}`];
  if (!open || now >= askedAt + DEFAULTS.grantAgainMs) {
    const event = { tenant, ask: ask + 1, need: { ...need }, want: ahead(run, need), askedAt: now };
    record(draft, runEvent('GrantAsked', event));
  }
  return [`a grant of tenant ${tenant}`];
};

/** The tenant's answer. One to an asking that is over says nothing any more. */
export const decideGive = (draft: RunDraft, { data }: RequestOf<'GiveGrant'>, env: Env): void => {
  const run = liveRun(draft);
  const grant = run?.budget.grant;
  if (run === undefined || run.end !== null || !grant?.open || grant.ask !== data.ask) return;
  const { tenant, ask, total, denied } = data;
  record(draft, runEvent('GrantReceived', { tenant, ask, total: { ...total }, denied }));
  if (denied === null || run.cancel !== null || run.budget.stop !== null) return;
  if (heldOfTotal(run, { ...grant, total }, grant.wanted) !== null) return;
  exhaust(draft, { stepId: null, short: [], why: `tenant ${tenant}: ${denied}` }, env);
};

/** When the tenant is asked again, epoch ms. */
export const grantDue = ({ budget: { grant }, end }: LiveRun): number =>
  grant?.open === true && end === null ? grant.askedAt + DEFAULTS.grantAgainMs : Infinity;

const ahead = (run: LiveRun, need: Amounts): Record<string, Amount> => {
  const most = run.budget.limits?.amounts ?? {};
  const want: Record<string, Amount> = {};
  for (const [kind, amount] of Object.entries(need)) {
    const step = times(kind, more(kind, need, spentOfGrant(run)), AHEAD);
    const wished = addAmounts({ [kind]: amount }, { [kind]: step })[kind] ?? amount;
    const bound = most[kind];
    want[kind] = bound === undefined || compareAmounts(kind, bound, amount) < 0 ? amount : lesser(kind, wished, bound);
  }
  return want;
};

/** What one more step uses, or what steps of which nobody knows it beforehand have used together. */
const more = (kind: string, need: Amounts, spent: Amounts): Amount => {
  const wanted = minusOrNone(kind, amountOf(need, kind), amountOf(spent, kind));
  return isNone(kind, wanted) ? shareOf(kind, amountOf(spent, kind), AHEAD) : wanted;
};
