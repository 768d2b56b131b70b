import { runEvent } from '@holdfast/events';
import { at, type Sentence } from './sentence.fixture.js';

export const budgetSentences: readonly Sentence[] = [
  [runEvent('BudgetWarned', { limit: 'calls:pay', most: 10, used: 9 }), 'Most of a limit is used: calls:pay 9/10.'],
  [
    runEvent('BudgetExhausted', {
      atStep: 'a',
      short: [],
      detail: 'steps 2/2, 1 steps more wanted at step a',
      policy: 'ask',
    }),
    'The budget is used up: steps 2/2, 1 steps more wanted at step a. A person is asked for more.',
  ],
  [
    runEvent('BudgetChanged', {
      limits: { amounts: { 'money:USD': '12.5', 'calls:pay': 3 }, depth: 8, onExhausted: 'end' },
      principal: 'ann',
      requestId: 'q',
    }),
    'ann has changed what the run may use: 12.5 USD, 3 calls of pay.',
  ],
  [
    runEvent('IdleClockStarted', { since: at }),
    'How long the run makes no progress is counted from 2026-01-02T03:04:05.000Z on.',
  ],
  [
    runEvent('LoopFound', { level: 'stopped', pattern: ['t@1#h'], repeats: 6, detail: 't@1 again', policy: 'end' }),
    'The run goes in a circle: t@1 again. Nothing new is started.',
  ],
  [
    runEvent('GrantAsked', { tenant: 'acme', ask: 1, need: { effects: 1 }, want: { effects: 32 }, askedAt: at }),
    'Tenant acme is asked for a grant: 1 effects.',
  ],
  [
    runEvent('GrantReceived', { tenant: 'acme', ask: 1, total: { effects: 32 }, denied: null }),
    'Tenant acme grants 32 effects in all.',
  ],
];
