import { StoreUnavailable } from './row-store.js';
import { isAway } from './rows.js';

const coded = (code: string): Error => Object.assign(new Error('it failed'), { code });

describe('the database', () => {
  it.each(['08006', '53300', '57014', '57P01', '40P01', 'ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])(
    'is away where it, or the network, says %s',
    (code) => {
      expect(isAway(coded(code))).toBe(true);
      expect(isAway({ driverError: coded(code) })).toBe(true);
    },
  );

  it.each(['22021', '22003', '42P01', '23505', 'ENOENT'])('is there where it says %s', (code) =>
    expect(isAway(coded(code))).toBe(false),
  );

  it('is away where the line to it was cut, and nothing else that fails is', () => {
    expect(isAway(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isAway(new StoreUnavailable('away'))).toBe(true);
    expect([new TypeError('x is no function'), undefined, null].map(isAway)).toEqual([false, false, false]);
  });
});
