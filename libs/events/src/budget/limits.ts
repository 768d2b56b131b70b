import { UNLIMITED, type Budget } from '@holdfast/programs';
import { z } from 'zod';
import { DEFAULTS } from '../limits.js';
import {
  amountOf,
  amountWords,
  compare,
  amountsSchema,
  callsKind,
  isMoney,
  lesser,
  minusOrNone,
  moneyKind,
  plus,
  type Amount,
  type Amounts,
} from './amounts.js';

/** What a run may use, with every default filled in: fixed when it is accepted, changed only by events. */
export const limitsSchema = z.object({
  /**
   * The most of each kind; what is not named is not limited. `calls` bounds the calls of all tools together,
   * `calls:<tool>` those of all its versions; `money` bounds each currency that is not named itself.
   */
  amounts: amountsSchema,
  depth: z.int().nonnegative(),
  /** Without progress; absent when only the run's deadline bounds it. */
  idleMs: z.int().nonnegative().optional(),
  onExhausted: z.enum(['end', 'ask']),
});
export type Limits = z.infer<typeof limitsSchema>;

const COUNTS = ['steps', 'effects', 'children', 'tokensIn', 'tokensOut'] as const;

/** The limits that a budget asks for. Where it says nothing the ones before it hold, and at last the defaults. */
export const limitsOf = (...budgets: readonly (Budget | null | undefined)[]): Limits => {
  const first = <K extends keyof Budget>(name: K) =>
    budgets.map((budget) => budget?.[name]).find((value) => value !== undefined && value !== null);
  const amounts: Record<string, Amount> = {};
  for (const kind of COUNTS) {
    const asked = first(kind) ?? DEFAULTS.budget[kind];
    if (asked !== UNLIMITED) amounts[kind] = asked;
  }
  // Turns are steps as well, so that they are bounded without a limit of their own.
  const turns = first('turns');
  if (turns !== undefined && turns !== UNLIMITED) amounts['turns'] = turns;
  Object.assign(amounts, callLimits(first('calls')), moneyLimits(first('money')));
  const idleMs = first('idleMs');
  return {
    amounts,
    depth: first('depth') ?? DEFAULTS.budget.depth,
    ...(idleMs === undefined || idleMs === UNLIMITED ? {} : { idleMs }),
    onExhausted: first('onExhausted') ?? 'end',
  };
};

/** The limits of a run after a change: what the change names is replaced, everything else stays. */
export const steerLimits = (limits: Limits, change: Budget): Limits => {
  const next = limitsOf(change);
  const named = new Set(Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [name])));
  const kept = Object.entries(limits.amounts).filter(([name]) => !named.has(name.split(':')[0] ?? name));
  const changed = Object.entries(next.amounts).filter(([name]) => named.has(name.split(':')[0] ?? name));
  const { idleMs } = named.has('idleMs') ? next : limits;
  return {
    amounts: Object.fromEntries([...kept, ...changed]),
    depth: named.has('depth') ? next.depth : limits.depth,
    ...(idleMs === undefined ? {} : { idleMs }),
    onExhausted: named.has('onExhausted') ? next.onExhausted : limits.onExhausted,
  };
};

const callLimits = (asked: NonNullable<Budget['calls']> | undefined): Amounts => {
  if (asked === UNLIMITED) return {};
  if (typeof asked === 'number') return { calls: asked };
  const byTool = Object.entries(asked ?? {}).flatMap(([tool, most]) =>
    most === UNLIMITED ? [] : [[callsKind(tool), most] as const],
  );
  return { calls: DEFAULTS.budget.calls, ...Object.fromEntries(byTool) };
};

/** A budget in one currency allows none in another: what is not counted against it must not be spent beside it. */
const moneyLimits = (asked: NonNullable<Budget['money']> | undefined): Amounts => {
  if (asked === UNLIMITED) return {};
  if (asked === undefined) return { money: DEFAULTS.budget.money };
  return { [moneyKind(asked.currency)]: asked.amount, money: '0' };
};

/** The limits under which an amount of the kind falls, by their names. */
export const limitsAbove = (amounts: Amounts, kind: string): readonly string[] => {
  if (isMoney(kind)) return Object.hasOwn(amounts, kind) ? [kind] : named(amounts, 'money');
  if (!kind.startsWith('calls:')) return named(amounts, kind);
  const tool = kind.slice(0, kind.lastIndexOf('@') > 0 ? kind.lastIndexOf('@') : kind.length);
  return ['calls', tool, kind]
    .filter((name, at, all) => all.indexOf(name) === at)
    .flatMap((name) => named(amounts, name));
};

const named = (amounts: Amounts, name: string): readonly string[] => (Object.hasOwn(amounts, name) ? [name] : []);

/** The limits that allow more than the others do, with what those allow; one currency is bounded apart from the others. */
export const beyondLimits = (most: Limits, wanted: Limits): readonly string[] => {
  const names = new Set([...Object.keys(most.amounts), ...Object.keys(wanted.amounts)]);
  const beyond = [...names].flatMap((name) => {
    const [bound, asked] = [leastOf(most.amounts, name), leastOf(wanted.amounts, name)];
    if (bound === null || (asked !== null && compare(name, asked, bound) <= 0)) return [];
    return [amountWords(name, bound)];
  });
  return wanted.depth > most.depth ? [...beyond, amountWords('depth', most.depth)] : beyond;
};

const leastOf = (amounts: Amounts, name: string): Amount | null =>
  limitsAbove(amounts, name).reduce<Amount | null>((least, above) => {
    const amount = amountOf(amounts, above);
    return least === null ? amount : lesser(name, least, amount);
  }, null);

/** What counts against a limit: of `calls` and `calls:<tool>` the sum of all calls below it. `kind` is a kind below it. */
export const usedUnder = (spent: Amounts, name: string, kind: string = name): Amount => {
  if (name === 'money') return amountOf(spent, kind);
  if (!name.startsWith('calls')) return amountOf(spent, name);
  let sum: Amount = 0;
  for (const [one, amount] of Object.entries(spent)) if (isBelow(name, one)) sum = plus(name, sum, amount);
  return sum;
};

const isBelow = (name: string, kind: string): boolean =>
  kind === name || (name === 'calls' ? kind.startsWith('calls:') : kind.startsWith(`${name}@`));

/** What is left of each limit; none where more was used. `money` alone is left out: it is one for each currency. */
export const leftOf = (amounts: Amounts, spent: Amounts): Amounts =>
  Object.fromEntries(
    Object.entries(amounts)
      .filter(([name]) => name !== 'money')
      .map(([name, most]) => [name, minusOrNone(name, most, usedUnder(spent, name))]),
  );
