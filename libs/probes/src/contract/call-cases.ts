import assert from 'node:assert/strict';
import type { Case } from './played.js';

const AWKWARD = `Zoë's "quoted" \\ text; DROP TABLE x --\n.\n\tdot and tab, 日本語, 😀, e\u0301, \u2028, <b>&amp;</b> %41 \${HOME} $(id) {marker}`;

/** What is true where nothing goes wrong outside. */
export const casesOfCalls: readonly Case[] = [
  {
    name: 'is found as applied after a plain call, with the result that the call returned',
    play: async (played) => {
      await played.finds('absent');
      const result = await played.callUntilDone();
      await played.counts(1);
      assert.deepEqual(await played.finds('applied'), result);
    },
  },
  {
    name: 'makes one effect when a step is called again with its key, and returns the same',
    play: async (played) => {
      const first = await played.call();
      assert.equal(first.outcome, 'succeeded', JSON.stringify(first));
      const second = await played.call(0, { attempt: 1 });
      assert.equal(second.outcome, 'succeeded', JSON.stringify(second));
      assert.deepEqual(second, first);
      await played.counts(1);
      await played.finds('applied');
    },
  },
  {
    name: 'makes an effect of its own for another key with the same arguments, and tells them apart',
    play: async (played) => {
      await played.callUntilDone(0);
      await played.finds('absent', 1);
      await played.callUntilDone(1);
      for (const nth of [0, 1]) {
        await played.counts(1, nth);
        await played.finds('applied', nth);
      }
      await played.finds('absent', 2);
    },
  },
  {
    name: 'makes one effect for each of two keys at once',
    play: async (played) => {
      await Promise.all([0, 1, 2].map((nth) => played.callUntilDone(nth)));
      for (const nth of [0, 1, 2]) {
        await played.counts(1, nth);
        await played.finds('applied', nth);
      }
    },
  },
  {
    name: 'takes texts of any kind, and finds them again',
    play: async (played) => {
      const args = played.args(AWKWARD);
      const result = await played.callUntilDone(0, args);
      await played.counts(1);
      assert.deepEqual(await played.finds('applied', 0, args), result);
    },
  },
  {
    name: 'does nothing when the guard refuses',
    play: async (played) => {
      const outcome = await played.call(0, { refusal: () => 'lease' });
      assert.equal(outcome.outcome, 'failed', JSON.stringify(outcome));
      assert.ok(outcome.outcome === 'failed' && outcome.failure.code === 'guard_refused', JSON.stringify(outcome));
      await played.counts(0);
      await played.finds('absent');
      await played.callUntilDone();
      await played.counts(1);
    },
  },
];
