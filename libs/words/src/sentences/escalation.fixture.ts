import { runEvent } from '@holdfast/events';
import { at, step, type Sentence } from './sentence.fixture.js';

export const escalationSentences: readonly Sentence[] = [
  [
    runEvent('EscalationOpened', {
      ...step,
      kind: 'doubt',
      doubtSeq: 1,
      question: 'Did it act?',
      choices: ['applied', 'absent'],
      expiresAt: at,
    }),
    'A person is asked about file[3].write (attempt 1): Did it act? Choices: applied, absent; until 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('EscalationAnswered', {
      ...step,
      escalationSeq: 1,
      choice: 'applied',
      principal: 'ann',
      requestId: 'q',
      note: 'in the ledger',
    }),
    'ann answered applied about file[3].write (attempt 1): in the ledger.',
  ],
  [
    runEvent('EscalationReminded', { ...step, escalationSeq: 1, to: ['ann', 'bob'], nth: 2, at }),
    'Reminder 2 about file[3].write (attempt 1), question 1, to ann, bob.',
  ],
  [
    runEvent('ApprovalVoided', { ...step, approvalSeq: 1, cause: 'arguments_changed' }),
    'The approval 1 for file[3].write (attempt 1) is void: the arguments are not the approved ones.',
  ],
  [
    runEvent('EscalationExpired', { ...step, escalationSeq: 1 }),
    'Nobody answered the question about file[3].write (attempt 1) in time.',
  ],
];
