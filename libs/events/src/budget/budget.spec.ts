import { budgetSchema } from '@holdfast/programs';
import { amountOf, subtractAmounts } from './amounts.js';
import { childGrant } from './child.js';
import { beyondLimits, leftOf, limitsOf, steerLimits } from './limits.js';
import { exceeded, releaseReserved, reserve, settleReserved, shortageWords } from './reserve.js';

const usd = (amount: string) => ({ money: { amount, currency: 'USD' } });

describe('amounts', () => {
  it('adds money without rounding', () => {
    const { amounts } = limitsOf(usd('0.3'));
    const first = reserve(amounts, {}, { 'money:USD': '0.1' });
    const second = reserve(amounts, 'spent' in first ? first.spent : {}, { 'money:USD': '0.2' });
    expect(second).toEqual({ spent: { 'money:USD': '0.3' } });
    expect(reserve(amounts, { 'money:USD': '0.3' }, { 'money:USD': '0.000000001' })).toHaveProperty('short');
  });

  it('never go below nothing', () => {
    expect(() => subtractAmounts({ effects: 1 }, { effects: 2 })).toThrow(
      '2 of effects are taken back, but only 1 are there',
    );
  });
});

describe('the limits of a run', () => {
  it.each([
    ['0', 'steps'],
    [-1, 'steps'],
    [1.5, 'steps'],
    ['abc', 'tokensIn'],
    ['', 'effects'],
    [Number.NaN, 'children'],
    [Number.POSITIVE_INFINITY, 'tokensOut'],
    [Number.MAX_SAFE_INTEGER + 2, 'calls'],
    [{ amount: 1, currency: 'USD' }, 'money'],
    [{ amount: '-1', currency: 'USD' }, 'money'],
    [{ amount: '1e3', currency: 'USD' }, 'money'],
    [{ 'pay@1': '3' }, 'calls'],
  ])('refuse %p by the name of the field', (value, field) => {
    const parsed = budgetSchema.safeParse({ [field]: value });
    expect(new Set(parsed.error?.issues.map(({ path }) => path[0]))).toEqual(new Set([field]));
  });

  it('refuse what they do not know', () => {
    expect(budgetSchema.safeParse({ step: 1 }).success).toBe(false);
  });

  it('take zero for none, null and nothing for the default, and only one word for no limit', () => {
    expect(limitsOf({ steps: 0 }).amounts['steps']).toBe(0);
    expect(limitsOf({ steps: null }).amounts).toEqual(limitsOf().amounts);
    expect(Object.hasOwn(limitsOf({ steps: 'unlimited' }).amounts, 'steps')).toBe(false);
    expect(reserve(limitsOf({ steps: 0 }).amounts, {}, { steps: 1 })).toHaveProperty('short');
  });

  it('of a plan hold where the submission says nothing', () => {
    const limits = limitsOf({ steps: 5 }, { steps: 9, effects: 3, onExhausted: 'ask' });
    expect(limits).toMatchObject({ amounts: { steps: 5, effects: 3 }, onExhausted: 'ask' });
  });

  it('bound the calls of one tool, of all its versions, and of all tools', () => {
    const { amounts } = limitsOf({ calls: { pay: 3, 'pay@2': 1 } });
    expect(reserve(amounts, { 'calls:pay@2': 1 }, { 'calls:pay@2': 1 })).toHaveProperty('short');
    expect(reserve(amounts, { 'calls:pay@2': 1 }, { 'calls:pay@1': 2 })).toHaveProperty('spent');
    expect(reserve(amounts, { 'calls:pay@1': 2, 'calls:pay@2': 1 }, { 'calls:pay@1': 1 })).toHaveProperty('short');
    const all = limitsOf({ calls: 2 }).amounts;
    expect(reserve(all, { 'calls:a@1': 1, 'calls:b@1': 1 }, { 'calls:c@1': 1 })).toHaveProperty('short');
    expect(leftOf(limitsOf({ calls: 2 }).amounts, { 'calls:a@1': 1 })['calls']).toBe(1);
  });

  it('in one currency allow none in another', () => {
    expect(reserve(limitsOf(usd('5')).amounts, {}, { 'money:EUR': '0.01' })).toHaveProperty('short');
    expect(reserve(limitsOf().amounts, {}, { 'money:EUR': '999' })).toHaveProperty('spent');
    expect(reserve(limitsOf().amounts, { 'money:EUR': '999' }, { 'money:EUR': '1.01' })).toHaveProperty('short');
  });
});

describe('a change of limits', () => {
  it('replaces what it names and leaves everything else', () => {
    const limits = limitsOf({ steps: 5, ...usd('2'), idleMs: 1_000 });
    expect(steerLimits(limits, { steps: 9 })).toEqual({ ...limits, amounts: { ...limits.amounts, steps: 9 } });
    expect(steerLimits(limits, usd('3')).amounts).toMatchObject({ 'money:USD': '3', money: '0', steps: 5 });
    expect(steerLimits(limits, { money: 'unlimited' }).amounts).not.toHaveProperty('money');
    expect(steerLimits(limits, { idleMs: 'unlimited' })).not.toHaveProperty('idleMs');
  });
});

describe('a reservation', () => {
  it('is a part of what is spent until it is settled', () => {
    const { amounts } = limitsOf({ tokensIn: 100 });
    const first = reserve(amounts, {}, { tokensIn: 60 });
    const spent = 'spent' in first ? first.spent : {};
    expect(reserve(amounts, spent, { tokensIn: 60 })).toMatchObject({
      short: [{ name: 'tokensIn', used: 60, most: 100 }],
    });
    expect(settleReserved(spent, { tokensIn: 60 }, { tokensIn: 10 })).toEqual({ tokensIn: 10 });
    expect(releaseReserved(spent, { tokensIn: 60 })).toEqual({ tokensIn: 0 });
  });

  it('may turn out to be less than what was used, and that is seen', () => {
    const spent = settleReserved({ tokensIn: 60 }, { tokensIn: 60 }, { tokensIn: 130 });
    const [over] = exceeded(limitsOf({ tokensIn: 100 }).amounts, spent);
    expect(over && shortageWords(over)).toBe('tokensIn 130/100');
  });
});

describe('limits beyond others', () => {
  it.each([
    [{ effects: 2 }, { effects: 3 }, ['2 effects']],
    [{ effects: 2 }, { effects: 'unlimited' }, ['2 effects']],
    [{ effects: 2 }, { effects: 1 }, []],
    [{ effects: 2 }, { steps: 5 }, []],
    [{ calls: 10 }, { calls: { pay: 3 } }, ['10 calls']],
    [{ calls: { pay: 3 } }, { calls: { pay: 2, 'pay@2': 1 } }, []],
    [{ calls: { pay: 3 } }, { calls: 2 }, []],
    [{ calls: { pay: 3 } }, { calls: 4 }, ['3 calls of pay']],
    [usd('5'), usd('5.000000001'), ['5 USD']],
    [usd('5'), { money: { amount: '1', currency: 'EUR' } }, ['0 EUR']],
    [usd('5'), { money: 'unlimited' }, ['0 of any other currency', '5 USD']],
    [{ depth: 1 }, { depth: 2 }, ['1 depth']],
  ] as const)('%j and then %j', (before, change, beyond) => {
    const most = limitsOf(before);
    expect(beyondLimits(most, steerLimits(most, change)).toSorted()).toEqual(beyond.toSorted());
  });
});

describe('what a child gets', () => {
  const parent = (spent: string) => ({ limits: limitsOf(usd('10.00')), spent: { 'money:USD': spent } });

  it('is reserved in its parent, whole or not at all', () => {
    const start = (spent: string) => {
      let known = parent(spent);
      let started = 0;
      for (let child = 0; child < 5; child += 1) {
        const grant = childGrant(known, usd('2.00'));
        if ('short' in grant) continue;
        const reserved = reserve(known.limits.amounts, known.spent, grant.reserved);
        known = { ...known, spent: 'spent' in reserved ? (reserved.spent as typeof known.spent) : known.spent };
        started += 1;
      }
      return [started, amountOf(known.spent, 'money:USD')];
    };
    expect(start('9.90')).toEqual([0, '9.90']);
    expect(start('5.90')).toEqual([2, '9.9']);
  });

  it('is a part of what is left where it asks for nothing, and none where nothing is left', () => {
    const some = childGrant(parent('2'), undefined);
    expect(some).toMatchObject({ limits: { amounts: { 'money:USD': '0.5', money: '0' }, depth: 7 } });
    const none = childGrant(parent('10.00'), undefined);
    expect(none).toMatchObject({ limits: { amounts: { 'money:USD': '0' } } });
  });

  it('counts calls by tool and calls of all tools once', () => {
    const grant = childGrant({ limits: limitsOf({ calls: { 'pay@1': 5 } }), spent: {} }, { calls: { 'pay@1': 2 } });
    const calls = 'reserved' in grant ? [grant.reserved['calls:pay@1'], grant.limits.amounts['calls']] : [];
    expect(calls).toEqual([2, 2_000_000]);
  });

  it('takes itself and the children that it may have from the children of its parent', () => {
    const limits = limitsOf({ children: 3 });
    expect(childGrant({ limits, spent: {} }, { children: 2 })).toMatchObject({ reserved: { children: 3 } });
    expect(childGrant({ limits, spent: {} }, { children: 3 })).toHaveProperty('short');
    expect(childGrant({ limits: limitsOf({ depth: 1 }), spent: {} }, {})).toMatchObject({ limits: { depth: 0 } });
  });

  it.each([undefined, { children: 'unlimited' } as const])(
    'is also the last one that its parent may have (%p)',
    (budget) => {
      const limits = limitsOf({ children: 3 });
      const last = childGrant({ limits, spent: { children: 2 } }, budget);
      expect(last).toMatchObject({ limits: { amounts: { children: 0 } }, reserved: { children: 1 } });
      expect(childGrant({ limits, spent: { children: 3 } }, budget)).toHaveProperty('short');
    },
  );
});
