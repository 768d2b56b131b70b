import { sharedEvent } from '@holdfast/events';
import { at, type Sentence } from './sentence.fixture.js';

export const tenantSentences: readonly Sentence[] = [
  [
    sharedEvent('TenantBudgetSet', {
      runId: 'tenant/acme',
      tenant: 'acme',
      requestId: 'q',
      principal: 'ann',
      amounts: { 'money:EUR': '100' },
    }),
    'ann lets tenant acme use 100 EUR.',
  ],
  [
    sharedEvent('GrantGiven', { tenant: 'acme', runId: 'r', ask: 1, total: {}, denied: 'effects 9/9' }),
    'Tenant acme grants run r no more: effects 9/9.',
  ],
  [
    sharedEvent('GrantQueued', { tenant: 'acme', runId: 'r', ask: 1, need: { effects: 1 }, want: { effects: 32 } }),
    'Run r asks tenant acme for a grant: 1 effects.',
  ],
  [
    sharedEvent('GrantSettled', { tenant: 'acme', runId: 'r', seq: 9, keeps: { effects: 2 }, final: false, until: at }),
    'Run r of tenant acme is over and has used 2 effects, as far as is known yet.',
  ],
  [sharedEvent('GrantForgotten', { tenant: 'acme', runId: 'r' }), 'Tenant acme no longer remembers run r.'],
];
