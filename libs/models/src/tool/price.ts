import { Big } from 'big.js';
import { usageSchema, type Usage } from '@holdfast/events';
import { currencySchema, decimalSchema } from '@holdfast/programs';
import { z } from 'zod';

/** What a million tokens cost, as decimal text. */
export const pricesSchema = z.strictObject({
  currency: currencySchema,
  tokensInPerMillion: decimalSchema,
  tokensOutPerMillion: decimalSchema,
});
export type Prices = z.infer<typeof pricesSchema>;

type Tokens = { readonly tokensIn: number; readonly tokensOut: number };

const MILLION = 1_000_000;
/** As many as an amount of money may have. */
const PLACES = 9;

/** What so many tokens cost. What does not fit into nine places is rounded up. */
export const priceOf = ({ tokensIn, tokensOut }: Tokens, prices: Prices): { amount: string; currency: string } => {
  const { currency, tokensInPerMillion, tokensOutPerMillion } = prices;
  const sum = new Big(tokensInPerMillion).times(tokensIn).plus(new Big(tokensOutPerMillion).times(tokensOut));
  // A quotient of decimals by a million is exact as a product.
  return { amount: sum.times(new Big(1).div(MILLION)).round(PLACES, Big.roundUp).toFixed(), currency };
};

/**
 * What one call may use, with the money that its tokens cost at most where nobody has said it. Throws a sentence where
 * prices are none, or in another currency than the cost. A cost that is none is left to whoever checks the tool.
 */
export const costOf = (cost: Usage | undefined, prices: Prices | undefined): Usage | undefined => {
  if (prices === undefined) return cost;
  const checked = pricesSchema.safeParse(prices);
  if (!checked.success) throw new TypeError(`prices do not fit: ${z.prettifyError(checked.error)}`);
  if (cost === undefined || !usageSchema.safeParse(cost).success) return cost;
  const { tokensIn, tokensOut, money } = cost;
  if (money !== undefined && money.currency !== prices.currency)
    throw new TypeError(`cost is in ${money.currency}, but the prices are in ${prices.currency}: use one currency`);
  if (money !== undefined || tokensIn === undefined || tokensOut === undefined) return cost;
  return { ...cost, money: priceOf({ tokensIn, tokensOut }, prices) };
};
