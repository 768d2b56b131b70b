import { runEvent } from '@holdfast/events';
import { at, type Sentence } from './sentence.fixture.js';

export const undoSentences: readonly Sentence[] = [
  [
    runEvent('CompensationStarted', { undoRunId: 'r~undo', ticket: 't', effects: 2, startedAt: at, deadlineAt: at }),
    'Run r~undo undoes 2 effects, the last one first, by 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('CompensationEnded', {
      outcome: 'escalation_expired',
      detail: 'nobody answered',
      undone: 1,
      held: [{ stepId: 'car', tool: 'reserve@1' }],
      heldTotal: 1,
      endedAt: at,
    }),
    '1 effect undone, 1 STILL HELD (car) (escalation expired: nobody answered).',
  ],
];
