import { moneySchema } from '@holdfast/programs';
import { z } from 'zod';
import { moneyKind, type Amount } from './amounts.js';

const tokens = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER).optional();

/** What one call uses or may use: tokens and money. */
export const usageSchema = z.strictObject({ tokensIn: tokens, tokensOut: tokens, money: moneySchema.optional() });
export type Usage = z.infer<typeof usageSchema>;

export const usageAmounts = ({ tokensIn, tokensOut, money }: Usage): Record<string, Amount> => ({
  ...(tokensIn === undefined ? {} : { tokensIn }),
  ...(tokensOut === undefined ? {} : { tokensOut }),
  ...(money === undefined ? {} : { [moneyKind(money.currency)]: money.amount }),
});
