import { runEvent } from '@holdfast/events';
import type { Sentence } from './sentence.fixture.js';

export const agentSentences: readonly Sentence[] = [
  [
    runEvent('TurnTaken', {
      stepId: 'research',
      turn: 2,
      did: 'called',
      calls: [
        { step: 'search-0' },
        { refused: 'unknown_tool', message: 'There is no tool find. The tools are: search.' },
      ],
      context: { turns: 2, leftOut: 0, summed: false },
      usage: { tokensIn: 100, tokensOut: 10 },
    }),
    'research, turn 3: the model calls search-0; 1 call answered with an error: unknown tool.',
  ],
];
