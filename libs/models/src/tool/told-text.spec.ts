import type { Json } from '@holdfast/programs';
import { knownSecrets } from '@holdfast/sdk';
import { ToldText } from './told-text.js';

const told = () => {
  const progress: Json[] = [];
  const clock = { now: 0 };
  const text = new ToldText(
    (value) => void progress.push(value),
    () => clock.now,
  );
  return { progress, clock, text };
};

describe('what a model has written so far', () => {
  it('is told whole each time, once a second at most', () => {
    const { progress, clock, text } = told();
    for (const [at, piece] of [
      [0, 'One'],
      [999, ' two'],
      [1_000, ' three'],
      [1_500, ' four'],
      [2_000, ' five'],
    ] as const) {
      clock.now = at;
      text.add(piece);
    }
    expect(progress).toEqual([{ text: 'One' }, { text: 'One two three' }, { text: 'One two three four five' }]);
  });

  it('loses its beginning, counted in bytes, and no half characters', () => {
    const { progress, clock, text } = told();
    text.add('é'.repeat(1_024));
    clock.now = 1_000;
    text.add('x');
    clock.now = 2_000;
    text.add('y');
    expect(progress).toEqual([
      { text: 'é'.repeat(1_024) },
      { text: `${'é'.repeat(1_023)}x`, omittedBytes: 2 },
      { text: `${'é'.repeat(1_023)}xy`, omittedBytes: 2 },
    ]);
  });

  it('holds no half of a secret, where that is just where it is cut', () => {
    knownSecrets.add('TOLD_TEXT_KEY', 'sk-told-text-0123456789');
    const { progress, text } = told();
    text.add(`sk-told-text-0123456789${'x'.repeat(2_040)}`);
    expect(JSON.stringify(progress)).not.toContain('23456789');
  });
});
