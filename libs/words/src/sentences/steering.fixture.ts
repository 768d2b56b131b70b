import { runEvent } from '@holdfast/events';
import { at, type Sentence } from './sentence.fixture.js';

export const steeringSentences: readonly Sentence[] = [
  [
    runEvent('KillRequested', { requestId: 'q', principal: 'ann', reason: 'runs wild' }),
    'ann killed the run: runs wild. It is over at once.',
  ],
  [
    runEvent('RunPaused', { requestId: 'q', principal: null, reason: '', pausedAt: at }),
    'Somebody paused the run. Nothing new starts until it is resumed.',
  ],
  [runEvent('RunResumed', { requestId: 'q', principal: 'ann', reason: '', resumedAt: at }), 'ann resumed the run.'],
  [
    runEvent('RunSteered', {
      requestId: 'q',
      principal: 'ann',
      reason: 'too slow',
      deadlineAt: at,
      windows: { each: 4 },
      limits: { amounts: { steps: 7 }, depth: 8, onExhausted: 'end' },
    }),
    'ann steered the run: too slow. It is to end by 2026-01-02T03:04:05.000Z; each has a window of 4; it may use 7 steps.',
  ],
];
