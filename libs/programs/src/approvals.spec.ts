import { approvalRuleFor, approvalRulesSchema, type ApprovalRule, type Json } from './index.js';

type Condition = NonNullable<ApprovalRule['when']>[number];

const asks = (when: Condition | readonly Condition[], args: Json, tool = 'pay@1'): boolean =>
  approvalRuleFor([{ tool: 'pay@1', when: [when].flat() }], tool, args) !== undefined;
const is = (path: string, how: Condition['is'], value: Json): Condition => ({ path, is: how, value });

describe('which calls need an approval', () => {
  it('is said of a tool, or of all its versions, and of no other', () => {
    const of = (rule: string, tool: string) => approvalRuleFor([{ tool: rule }], tool, {}) !== undefined;
    expect([of('pay@1', 'pay@1'), of('pay', 'pay@1'), of('pay', 'pay@2')]).toEqual([true, true, true]);
    expect([of('pay@1', 'pay@2'), of('pay', 'pay_all@1'), of('pay@1', 'pay@11')]).toEqual([false, false, false]);
  });

  it('compares numbers and decimal texts exactly', () => {
    const above = is('amount', 'above', '100');
    for (const amount of ['100.000000000000000000001', 101, '1e9', '99999999999999999999']) {
      expect([amount, asks(above, { amount })]).toEqual([amount, true]);
    }
    for (const amount of ['100.00', 100, '99.999999999999999999', -5, 0]) {
      expect([amount, asks(above, { amount })]).toEqual([amount, false]);
    }
    expect(asks(is('amount', 'below', -1), { amount: '-1.5' })).toBe(true);
  });

  it('asks where it cannot judge: what is not there, or is no number, or no text', () => {
    for (const condition of [is('a', 'above', 1), is('a', 'equals', 1), is('a', 'not', 1), is('a', 'matches', 'x')]) {
      expect(asks(condition, { b: 0 })).toBe(true);
    }
    expect(asks(is('a', 'above', 1_000), { a: 'a hundred' })).toBe(true);
    expect(asks(is('a', 'above', 1_000), { a: [1] })).toBe(true);
    expect(asks(is('a', 'matches', 'x'), { a: 7 })).toBe(true);
  });

  it('compares whole values without regard to the order of keys', () => {
    const same = is('to', 'equals', { iban: 'X', names: ['a', 'b'] });
    expect(asks(same, { to: { names: ['a', 'b'], iban: 'X' } })).toBe(true);
    expect(asks(same, { to: { names: ['b', 'a'], iban: 'X' } })).toBe(false);
    expect(asks(is('to[1].name', 'not', 'ann'), { to: [{}, { name: 'ann' }] })).toBe(false);
  });

  it('takes amounts for the same however they are written, and texts that may be none only where that asks more', () => {
    const of = (how: Condition['is'], value: Json, amount: Json) => asks(is('amount', how, value), { amount });
    for (const amount of [100, '100', '100.00', { n: 100 }]) {
      const value = typeof amount === 'object' ? { n: '100.0' } : '100.0';
      expect([amount, of('equals', value, amount)]).toEqual([amount, true]);
    }
    expect([of('equals', '1000000000000000000000', 1e21), of('equals', 1e-7, '0.0000001')]).toEqual([true, true]);
    // A text that is no amount is not judged by what it may mean.
    expect([of('above', 1_000, '1e2'), of('above', 1_000, 1e-7)]).toEqual([true, false]);
    expect([of('equals', 100, 101), of('equals', '100', 'a hundred')]).toEqual([false, false]);
    expect([of('not', 100, '100.00'), of('not', '100', 100), of('not', '100', '100')]).toEqual([false, false, false]);
    expect([of('not', 100, '101'), of('not', '1.1', '1.10')]).toEqual([true, true]);
  });

  it('finds texts by a pattern with stars, in no time', () => {
    const at = (value: string, to: string) => asks(is('to', 'matches', value), { to });
    expect([at('*@example.org', 'a@example.org'), at('a*c*e', 'abcde'), at('exact', 'exact')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([at('*@example.org', 'a@example.org.evil'), at('a*aa', 'aa'), at('exact', 'exactly')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(at(`${'a*'.repeat(200)}b`, 'a'.repeat(100_000))).toBe(false);
  });

  it('needs all conditions of a rule, and one rule', () => {
    const both = [is('amount', 'above', 10), is('to', 'not', 'ann')];
    expect(asks(both, { amount: 11, to: 'bob' })).toBe(true);
    expect(asks(both, { amount: 11, to: 'ann' })).toBe(false);
    const rules: ApprovalRule[] = [
      { tool: 'pay', when: both },
      { tool: 'pay', when: [is('to', 'equals', 'ann')], usableMs: 5 },
    ];
    expect(approvalRuleFor(rules, 'pay@1', { amount: 11, to: 'ann' })).toMatchObject({ usableMs: 5 });
  });

  it('is said by all rules that hold together: none makes another one milder', () => {
    const ann = { to: 'ann', afterMs: 0 };
    const bob = { to: 'bob', afterMs: 0 };
    const late = { to: 'bob', afterMs: 500 };
    const mild: ApprovalRule = { tool: 'pay', usableMs: 900, withinMs: 90, onSilence: 'fail', assignees: [ann, late] };
    const strict: ApprovalRule = { tool: 'pay@1', usableMs: 5, remindEveryMs: 1_000, assignees: [bob] };
    const both = { usableMs: 5, withinMs: 90, remindEveryMs: 1_000, onSilence: 'end', assignees: [ann, bob] };
    for (const rules of [
      [mild, strict],
      [strict, mild],
    ]) {
      const rule = approvalRuleFor(rules, 'pay@1', {});
      expect({ ...rule, assignees: rule?.assignees?.toSorted((a, b) => (a.to < b.to ? -1 : 1)) }).toEqual({
        tool: 'pay@1',
        ...both,
      });
    }
    expect(approvalRuleFor([mild, { ...mild, withinMs: 80 }], 'pay@1', {})?.onSilence).toBe('fail');
    expect(approvalRuleFor([mild, strict], 'pay@2', {})).toBe(mild);
    const many = Array.from({ length: 9 }, (_, rule) => ({
      tool: 'pay',
      assignees: Array.from({ length: 16 }, (__, index) => ({ to: `${rule}-${index}`, afterMs: index })),
    }));
    const asked = approvalRuleFor(many, 'pay@1', {})?.assignees ?? [];
    expect([asked.length, asked.at(-1)?.afterMs]).toEqual([64, 7]);
  });

  it.each([
    { tool: 'pay@' },
    { tool: 'pay', when: [] },
    { tool: 'pay', when: [{ path: 'a', is: 'above', value: 'many' }] },
    { tool: 'pay', when: [{ path: 'a', is: 'above', value: '1e9' }] },
    { tool: 'pay', when: [{ path: 'a', is: 'matches', value: 1 }] },
    { tool: 'pay', when: [{ path: 'a..b', is: 'equals', value: 1 }] },
    { tool: 'pay', onSilence: { answer: 'approve' } },
    { tool: 'pay', onSilence: 'approve' },
    {
      tool: 'pay',
      assignees: [
        { to: 'bob', afterMs: 5 },
        { to: 'ann', afterMs: 4 },
      ],
    },
    { tool: 'pay', more: true },
  ])('refuses the rule %j', (rule) => expect(approvalRulesSchema.safeParse([rule]).success).toBe(false));
});
