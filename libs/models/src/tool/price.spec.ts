import { assert, nat, property, tuple } from 'fast-check';
import { moneySchema } from '@holdfast/programs';
import { Big } from 'big.js';
import { priceOf } from './price.js';

const prices = (tokensInPerMillion: string, tokensOutPerMillion: string) => ({
  currency: 'USD',
  tokensInPerMillion,
  tokensOutPerMillion,
});

describe('what tokens cost', () => {
  it('is exact', () =>
    expect(priceOf({ tokensIn: 3, tokensOut: 1 }, prices('0.1', '0.2'))).toEqual({
      amount: '0.0000005',
      currency: 'USD',
    }));

  it('is rounded up where money has no such small part', () =>
    expect(priceOf({ tokensIn: 1, tokensOut: 0 }, prices('0.0375', '0')).amount).toBe('0.000000038'));

  it('is always money, and never less than the price', () => {
    const decimal = tuple(nat(100_000), nat(999_999_999)).map(([whole, part]) => `${whole}.${part}`);
    assert(
      property(decimal, decimal, nat(2_000_000), nat(200_000), (a, b, tokensIn, tokensOut) => {
        const price = priceOf({ tokensIn, tokensOut }, prices(a, b));
        expect(moneySchema.safeParse(price).success).toBe(true);
        const exact = new Big(a).times(tokensIn).plus(new Big(b).times(tokensOut));
        const difference = new Big(price.amount).times(1_000_000).minus(exact);
        expect(difference.gte(0) && difference.lt('0.001')).toBe(true);
      }),
    );
  });
});
