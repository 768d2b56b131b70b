import type { DoubtEntry, QuestionView } from '@holdfast/api';
import { BIG } from './names.js';

const MINUTE = 60_000;

const doubt = (now: number, more: Partial<DoubtEntry>): DoubtEntry => ({
  runId: BIG,
  stepId: 'document[610].read',
  attempt: 0,
  seq: 37_661,
  tool: 'file-document@1',
  cause: 'session_ended',
  holds: 'run',
  openedAt: now - 3_000,
  settledAt: now + 60_000,
  settleBy: now + 6 * MINUTE,
  probes: 0,
  evidence: null,
  verdict: null,
  by: null,
  endedAt: null,
  ...more,
});

/** One in which something may still land, one that is asked about, one for a person, one that is settled. */
export const doubts = (now: number): DoubtEntry[] => [
  doubt(now, {}),
  doubt(now, {
    seq: 37_664,
    stepId: 'document[612].read',
    openedAt: now - 80_000,
    settledAt: now - 70_000,
    probes: 3,
    evidence: 'the office has no filing under this key yet',
  }),
  doubt(now, {
    seq: 37_668,
    stepId: 'document[613].read',
    cause: 'outcome_unknown',
    holds: 'step',
    openedAt: now - 20 * MINUTE,
    settledAt: now - 19 * MINUTE,
    settleBy: now - 5 * MINUTE,
    probes: 20,
    evidence: 'the office answered 503 each time',
  }),
  doubt(now, {
    seq: 37_600,
    stepId: 'document[609].file',
    openedAt: now - 5 * MINUTE,
    settledAt: now - 5 * MINUTE + 1_000,
    settleBy: now + 10 * MINUTE,
    probes: 1,
    evidence: 'filed as R-000609 at 05:00:01, one entry under this key',
    verdict: 'applied',
    by: 'reconciler',
    endedAt: now - 5 * MINUTE + 1_350,
  }),
];

const question = (now: number, more: Partial<QuestionView>): QuestionView => ({
  runId: BIG,
  seq: 812,
  stepId: 'document[613].read',
  kind: 'doubt',
  question: 'Did file-document@1 act for step document[613].read? It may have, and it cannot be found out by machine.',
  context: null,
  choices: ['applied', 'absent', 'fail'],
  schema: null,
  approves: null,
  assignees: [],
  openedAt: now - 4 * MINUTE,
  expiresAt: now + 20 * 60 * MINUTE,
  onSilence: 'end',
  status: 'open',
  choice: null,
  answeredBy: null,
  note: null,
  endedAt: null,
  ...more,
});

const schema = {
  type: 'object',
  required: ['limit', 'mode'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 10, title: 'Copies at most' },
    mode: { enum: ['fast', 'careful'], title: 'How' },
    notify: { type: 'boolean', title: 'Tell the archive' },
    address: { type: 'object', required: ['city'], properties: { city: { type: 'string', maxLength: 60 } } },
  },
};

export const questions = (now: number): QuestionView[] => [
  question(now, {}),
  question(now, {
    seq: 815,
    stepId: 'pay',
    kind: 'approval',
    question: 'May step pay call pay@2 with these arguments?',
    choices: ['approve', 'reject'],
    context: { tool: 'pay@2', args: { amount: '1200.50', currency: 'EUR', to: 'Records Ltd', reference: 'INV-7' } },
    approves: {
      tool: 'pay@2',
      toolHash: '5b1f0c9e2a7d4416f0d2c8',
      argsHash: 'c27be41a90b7ee0c1fd3a5f4b8e9d6720c5f',
    },
    assignees: [
      { to: 'ann', afterMs: 0 },
      { to: 'team-billing', afterMs: 15 * MINUTE },
    ],
    expiresAt: now + 11 * MINUTE,
    onSilence: 'fail',
  }),
  question(now, {
    runId: 'onboarding-8999',
    seq: 640,
    stepId: 'settings',
    kind: 'question',
    question: 'How shall the archive be copied?',
    choices: ['answer'],
    schema,
    context: { pages: 314, last: 'copied fast, two pages were missing' },
  }),
  question(now, {
    runId: 'refund-8996',
    seq: 530,
    stepId: 'release',
    kind: 'question',
    question: 'Release 2.4.0?',
    choices: ['now', 'tomorrow', 'no'],
    status: 'answered',
    choice: 'tomorrow',
    answeredBy: 'bob',
    note: 'after the audit',
    endedAt: now - 3 * MINUTE,
  }),
];
