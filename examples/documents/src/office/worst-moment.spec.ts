import type { Call } from './calls.js';
import { badness, type OpenCall } from './worst-moment.js';

const open = (changes: Partial<OpenCall> & { readonly appliedAt?: number; readonly goneAt?: number }): OpenCall => {
  const { appliedAt = null, goneAt = null, ...rest } = changes;
  const call: Call = {
    document: 'a',
    key: 'k',
    call: 0,
    attempt: 0,
    fate: 'answers',
    receivedAt: 0,
    appliedAt,
    answeredAt: null,
    cutAt: null,
    goneAt,
    droppedAt: null,
  };
  return { call, applyDueAt: 20, answerDueAt: 45, appliesWhenGone: true, ...rest };
};
const filed = open({ appliedAt: 20 });
const dropped = open({ applyDueAt: 110, answerDueAt: 120, appliesWhenGone: false });

describe('the worst moment for a client to die', () => {
  it('is when one call is filed and not answered, and another would never be filed', () =>
    expect(badness([filed, dropped], 22)).toBe('worst'));

  it('is bad enough when only a filed call is not answered', () =>
    expect(badness([filed, open({ applyDueAt: 110 })], 22)).toBe('bad'));

  it.each([
    ['nothing is under way', []],
    ['nothing is filed', [dropped]],
    ['the answer is about to be sent', [open({ appliedAt: 5, answerDueAt: 25 })]],
    ['the client has gone already', [open({ appliedAt: 20, goneAt: 21 })]],
  ])('is not now when %s', (_, calls) => expect(badness(calls, 22)).toBe('harmless'));
});
