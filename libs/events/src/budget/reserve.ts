import {
  addAmounts,
  amountWords,
  compare,
  isNone,
  plus,
  subtractAmounts,
  type Amount,
  type Amounts,
} from './amounts.js';
import { limitsAbove, usedUnder } from './limits.js';

/** A limit that does not allow what is wanted. */
export type Shortage = {
  /** Name of the limit. */
  readonly name: string;
  /** The kind that was wanted under it. */
  readonly kind: string;
  readonly most: Amount;
  /** Used and reserved before. */
  readonly used: Amount;
  readonly wanted: Amount;
};

export type Reserved = { readonly spent: Amounts } | { readonly short: readonly Shortage[] };

/**
 * Reserves, or says what is missing. `spent` is what was used and what is reserved, together: a reservation is a part of
 * it from here on, so that nobody who comes after can have it as well.
 */
export const reserve = (most: Amounts, spent: Amounts, wanted: Amounts): Reserved => {
  const short = shortages(most, spent, wanted);
  return short.length > 0 ? { short } : { spent: addAmounts(spent, wanted) };
};

/** A reservation becomes what was really used, which may be less, and where it cannot be capped also more. */
export const settleReserved = (spent: Amounts, reserved: Amounts, used: Amounts): Amounts =>
  addAmounts(subtractAmounts(spent, reserved), used);

/** Nothing of a reservation was used. */
export const releaseReserved = (spent: Amounts, reserved: Amounts): Amounts => subtractAmounts(spent, reserved);

export const shortages = (most: Amounts, spent: Amounts, wanted: Amounts): readonly Shortage[] =>
  Object.entries(wanted).flatMap(([kind, amount]) =>
    limitsAbove(most, kind).flatMap((name) => {
      const used = usedUnder(spent, name, kind);
      const bound = most[name] ?? 0;
      if (isNone(kind, amount) || compare(kind, plus(kind, used, amount), bound) <= 0) return [];
      return [{ name, kind, most: bound, used, wanted: amount }];
    }),
  );

/** Limits that more was used of than they allow: something reported more than it had reserved. */
export const exceeded = (most: Amounts, spent: Amounts): readonly Shortage[] =>
  Object.keys(spent).flatMap((kind) =>
    limitsAbove(most, kind).flatMap((name) => {
      const used = usedUnder(spent, name, kind);
      const bound = most[name] ?? 0;
      return compare(kind, used, bound) > 0 ? [{ name, kind, most: bound, used, wanted: 0 }] : [];
    }),
  );

/** `effects 10/10, 1 more is wanted` */
export const shortageWords = ({ name, kind, most, used, wanted }: Shortage): string => {
  const unit = name === 'money' ? kind : name;
  const more = isNone(kind, wanted) ? '' : `, ${amountWords(kind, wanted)} more wanted`;
  return `${unit} ${used}/${most}${more}`;
};
