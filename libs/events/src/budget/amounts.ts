import { decimalSchema } from '@holdfast/programs';
import { Big } from 'big.js';
import { z } from 'zod';
import { Defect } from '../defect.js';

/** How much of one kind: a count, or money as decimal text. */
export type Amount = number | string;
/**
 * How much of each kind, an open map: `steps`, `effects`, `children`, `tokensIn`, `tokensOut`, `calls:<tool@version>`,
 * `money:<currency>`. Only money is decimal text. What is not named is none.
 */
export type Amounts = Readonly<Record<string, Amount>>;

export const amountsSchema = z.record(z.string(), z.union([z.number().nonnegative(), decimalSchema]));

const MONEY = 'money';
export const moneyKind = (currency: string): string => `${MONEY}:${currency}`;
export const callsKind = (tool: string): string => `calls:${tool}`;

/** Whether amounts of the kind are decimal text; `money` alone stands for every currency that is not named. */
export const isMoney = (kind: string): boolean => kind === MONEY || kind.startsWith(`${MONEY}:`);

/** A sum of money as it is written in history: plain digits, no exponent, no more places than needed. */
const text = (value: Big): string => value.toFixed();

const noneOf = (kind: string): Amount => (isMoney(kind) ? '0' : 0);

export const amountOf = (amounts: Amounts, kind: string): Amount =>
  Object.hasOwn(amounts, kind) ? (amounts[kind] ?? noneOf(kind)) : noneOf(kind);

export const plus = (kind: string, a: Amount, b: Amount): Amount =>
  isMoney(kind) ? text(new Big(a).plus(b)) : Number(a) + Number(b);

/** The difference, and none where it would be less. */
export const minusOrNone = (kind: string, a: Amount, b: Amount): Amount => {
  if (isMoney(kind)) {
    const left = new Big(a).minus(b);
    return left.lt(0) ? '0' : text(left);
  }
  return Math.max(0, Number(a) - Number(b));
};

/** Negative, zero or positive, as `a` is less than, equal to or more than `b`. */
export const compare = (kind: string, a: Amount, b: Amount): number =>
  isMoney(kind) ? new Big(a).cmp(b) : Number(a) - Number(b);

export const isNone = (kind: string, amount: Amount): boolean => compare(kind, amount, noneOf(kind)) <= 0;

export const lesser = (kind: string, a: Amount, b: Amount): Amount => (compare(kind, a, b) <= 0 ? a : b);

/** Whether `part` is at least `percent` of `whole`; never of nothing. */
export const isShare = (kind: string, part: Amount, whole: Amount, percent: number): boolean => {
  if (part === 0 || part === '0' || isNone(kind, whole)) return false;
  if (!isMoney(kind)) return Number(part) * 100 >= Number(whole) * percent;
  return new Big(part).times(100).gte(new Big(whole).times(percent));
};

/** One of so many equal parts of an amount: a count is rounded up, money down to nine places. */
export const shareOf = (kind: string, whole: Amount, parts: number): Amount =>
  isMoney(kind) ? text(new Big(whole).div(parts).round(9, Big.roundDown)) : Math.ceil(Number(whole) / parts);

export const times = (kind: string, amount: Amount, factor: number): Amount =>
  isMoney(kind) ? text(new Big(amount).times(factor)) : Number(amount) * factor;

export const addAmounts = (a: Amounts, b: Amounts): Amounts => {
  const sum: Record<string, Amount> = { ...a };
  for (const [kind, amount] of Object.entries(b)) sum[kind] = plus(kind, amountOf(a, kind), amount);
  return sum;
};

/** What is left of `a`. More than is there can not be taken away: that contradicts its history. */
export const subtractAmounts = (a: Amounts, b: Amounts): Amounts => {
  const rest: Record<string, Amount> = { ...a };
  for (const [kind, amount] of Object.entries(b)) {
    const known = amountOf(a, kind);
    if (compare(kind, known, amount) < 0)
      throw new Defect(`${amount} of ${kind} are taken back, but only ${known} are there`);
    rest[kind] = minusOrNone(kind, known, amount);
  }
  return rest;
};

/** How much more `a` is than `b`, of each kind. */
export const amountsBeyond = (a: Amounts, b: Amounts): Amounts =>
  Object.fromEntries(Object.entries(a).map(([kind, amount]) => [kind, minusOrNone(kind, amount, amountOf(b, kind))]));

/** The larger one of each kind. */
export const largerAmounts = (a: Amounts, b: Amounts): Amounts => {
  const most: Record<string, Amount> = { ...a };
  for (const [kind, amount] of Object.entries(b)) if (compare(kind, amount, amountOf(a, kind)) > 0) most[kind] = amount;
  return most;
};

/** Only some of the kinds. */
export const only = (amounts: Amounts, wanted: (kind: string) => boolean): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([kind]) => wanted(kind)));

/** Amounts as words: `2 calls of pay@1, 12.34 EUR`. */
export const amountWords = (kind: string, amount: Amount): string => {
  if (kind.startsWith('calls:')) return `${amount} calls of ${kind.slice('calls:'.length)}`;
  if (kind.startsWith(`${MONEY}:`)) return `${amount} ${kind.slice(MONEY.length + 1)}`;
  if (kind === 'tokensIn') return `${amount} tokens in`;
  if (kind === 'tokensOut') return `${amount} tokens out`;
  return kind === MONEY ? `${amount} of any other currency` : `${amount} ${kind}`;
};
