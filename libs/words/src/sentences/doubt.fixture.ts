import { runEvent } from '@holdfast/events';
import { at, evidence, step, type Sentence } from './sentence.fixture.js';

export const doubtSentences: readonly Sentence[] = [
  [
    runEvent('DoubtOpened', {
      ...step,
      cause: 'session_ended',
      session: 's',
      deadline: at,
      settledAt: at,
      settleBy: at,
      holds: 'run',
      death: true,
    }),
    'file[3].write (attempt 1) is in doubt: its session ended without a word on it. Nothing can land after 2026-01-02T03:04:05.000Z; the run holds until it is settled.',
  ],
  [
    runEvent('ProbeRecorded', { ...step, doubtSeq: 1, probe: 2, askedAt: at, evidence }),
    'Question 2 about file[3].write (attempt 1) brought no answer: looked it up.',
  ],
  [
    runEvent('DoubtSettled', { ...step, doubtSeq: 1, verdict: 'absent', by: 'reconciler', askedAt: at, evidence }),
    'The doubt about file[3].write (attempt 1) is settled: the effect was not applied (says the tool: looked it up).',
  ],
  [
    runEvent('ConflictFound', { ...step, session: 's', found: 'succeeded', actedOn: 'absent', evidence }),
    'CONFLICT at file[3].write (attempt 1): succeeded, but absent was acted on. looked it up',
  ],
];
