import type { Budget } from '@holdfast/programs';
import { DEFAULTS } from '../limits.js';
import { addAmounts, isMoney, lesser, minusOrNone, shareOf, type Amount, type Amounts } from './amounts.js';
import { limitsOf, usedUnder, type Limits } from './limits.js';
import { shortages, type Shortage } from './reserve.js';

export type ChildGrant =
  /** The limits of the child, and what of it is reserved in its parent until the child has ended. */
  { readonly limits: Limits; readonly reserved: Amounts } | { readonly short: readonly Shortage[] };

/** Where a child asks for nothing in particular it gets this part of what is left of a limit that somebody has set. */
const SHARE = 16;
/** What a child counts in its parent beside what it uses. */
export const ITSELF: Amounts = { children: 1 };

/** What nobody has set or asks for bounds each run for itself; what children use of it is counted when they are over. */
const isSet = (name: string, most: Amount): boolean =>
  most !== (DEFAULTS.budget as Readonly<Record<string, Amount>>)[name];

/**
 * What a child gets out of what its parent has left. All of it is reserved in the parent, so that children together can
 * not use more than the parent may. What it asks for it gets whole or not at all; a parent without a limit of some kind
 * leaves the child to its own limit.
 */
export const childGrant = (
  parent: { readonly limits: Limits; readonly spent: Amounts },
  budget: Budget | null | undefined,
): ChildGrant => {
  const own = limitsOf(budget);
  const asked = askedIn(budget);
  const amounts: Record<string, Amount> = { ...own.amounts };
  const shared = Object.entries(parent.limits.amounts).filter(([name, most]) => isSet(name, most) || asked.has(name));
  // It is a child itself, beside those that it may have.
  const spent = addAmounts(parent.spent, ITSELF);
  for (const [name, most] of shared) {
    const left = minusOrNone(name, most, usedUnder(spent, name));
    if (!asked.has(name)) amounts[name] = lesser(name, amounts[name] ?? left, shareOf(name, left, SHARE));
    else amounts[name] ??= left;
  }
  const all = addAmounts(reservedFor(amounts, Object.fromEntries(shared)), ITSELF);
  const short = shortages(parent.limits.amounts, parent.spent, all);
  if (short.length > 0) return { short };
  const depth = Math.min(own.depth, Math.max(0, parent.limits.depth - 1));
  return { limits: { ...own, amounts, depth }, reserved: all };
};

/** The limits that a budget says something about, also that there is none. */
const askedIn = (budget: Budget | null | undefined): ReadonlySet<string> => {
  const { calls, money, ...counts } = budget ?? {};
  const names = Object.entries(counts).flatMap(([name, value]) => (value === null ? [] : [name]));
  if (typeof calls === 'object' && calls !== null) names.push(...Object.keys(calls).map((tool) => `calls:${tool}`));
  else if (calls !== undefined && calls !== null) names.push('calls');
  if (money === 'unlimited') names.push('money');
  else if (money !== undefined && money !== null) names.push('money', `money:${money.currency}`);
  return new Set(names);
};

/** What is bounded in the parent is reserved there; calls by tool are a part of all calls and not reserved twice. */
const reservedFor = (amounts: Amounts, parent: Amounts): Amounts => {
  // What is allowed in any other currency is no amount of one.
  const kinds = Object.entries(amounts).filter(
    ([name]) => name !== 'money' && (Object.hasOwn(parent, name) || isCurrency(name, parent)),
  );
  const reserved: Record<string, Amount> = Object.fromEntries(kinds);
  const byTool = kinds.filter(([name]) => name.startsWith('calls:'));
  if (reserved['calls'] !== undefined) {
    for (const [, amount] of byTool) reserved['calls'] = minusOrNone('calls', reserved['calls'], amount);
  }
  return reserved;
};

/** A currency that only the child names falls under what its parent allows in any. */
const isCurrency = (name: string, parent: Amounts): boolean =>
  isMoney(name) && name !== 'money' && Object.hasOwn(parent, 'money');
