import { TURN_TEXT_MAX } from '@holdfast/api';
import type { TranscriptTurn } from '@holdfast/explain';
import { turnView } from './turn.views.js';

const long = 'x'.repeat(TURN_TEXT_MAX + 5);
const turn = (said: TranscriptTurn['calls'][number]['said']): TranscriptTurn => ({
  agent: 'a',
  turn: 0,
  text: long,
  calls: [{ name: 'read', arguments: long, stepId: 'a[0].read-0', became: 'succeeded', said }],
  did: 'called',
  answer: { long },
  problem: null,
  context: { turns: 0, leftOut: 0, summed: false },
  usage: { tokensIn: 1, tokensOut: 1 },
  seq: 1,
  at: 1,
});

describe('a turn as it is shown', () => {
  it('has no text longer than it may be, and says where something is missing', () => {
    const { text, calls, answer } = turnView(turn(long));
    for (const shown of [text, calls[0]?.arguments, calls[0]?.said, answer]) {
      expect(shown).toHaveLength(TURN_TEXT_MAX + 1);
      expect(shown).toMatch(/…$/);
    }
  });

  it('keeps a value that is short as it is', () => {
    expect(turnView(turn({ n: 1 })).calls[0]?.said).toEqual({ n: 1 });
  });
});
