import assert from 'node:assert/strict';
import type { ToolRun } from '@holdfast/sdk';
import type { Case, Played } from './played.js';

/** Long enough for a call to come to its effect, and what a call that is held then runs into. */
const DEADLINE_MS = 800;

/** What is true where something goes wrong between the tool and its counterpart. */
export const casesOfFaults: readonly Case[] = [
  {
    name: 'is found as applied when only the answer was lost, with the result that a call would have returned',
    play: async (played) => {
      const outcome = await played.during('cut-after', () => played.call());
      assert.equal(outcome.outcome, 'unknown', JSON.stringify(outcome));
      await played.counts(1);
      const recovered = await played.finds('applied');
      const again = await played.call(0, { attempt: 1 });
      assert.ok(again.outcome === 'succeeded' && 'result' in again, JSON.stringify(again));
      assert.deepEqual(again.result, recovered);
      await played.counts(1);
    },
  },
  {
    name: 'is found as absent when the connection broke before the effect, and made by the next attempt',
    play: async (played) => {
      const outcome = await played.during('cut-before', () => played.call());
      assert.notEqual(outcome.outcome, 'succeeded', JSON.stringify(outcome));
      await played.counts(0);
      await played.finds('absent');
      const again = await played.call(0, { attempt: 1 });
      assert.equal(again.outcome, 'succeeded', JSON.stringify(again));
      await played.counts(1);
      await played.finds('applied');
    },
  },
  {
    name: 'is not found as applied before it has landed, and is afterwards',
    play: async (played) => {
      const held = await played.begin('held');
      const call = played.call();
      await first(held.reached, call);
      const early = await played.ask();
      assert.notEqual(early.verdict, 'applied', JSON.stringify(early.evidence));
      await played.counts(0);
      await held.end();
      const outcome = await call;
      assert.equal(outcome.outcome, 'succeeded', JSON.stringify(outcome));
      await played.counts(1);
      await played.finds('applied');
    },
  },
  {
    name: 'is unknown, never absent, while its counterpart is away',
    play: async (played) => {
      await played.callUntilDone(1);
      const begun = await played.begin('away');
      const outcome = await played.call();
      assert.notEqual(outcome.outcome, 'succeeded', JSON.stringify(outcome));
      for (const nth of [0, 1]) await played.finds('unknown', nth);
      const again = await played.call(1, { attempt: 1 });
      assert.notEqual(again.outcome, 'succeeded', JSON.stringify(again));
      await begun.end();
      await played.counts(0);
      await played.finds('absent');
      await played.finds('applied', 1);
      await played.counts(1, 1);
    },
  },
  {
    name: 'is unknown, never absent, while its counterpart answers what nobody understands',
    play: async (played) => {
      await played.callUntilDone(1);
      await played.during('garbled', async () => {
        for (const nth of [0, 1]) await played.finds('unknown', nth);
        const outcome = await played.call();
        assert.notEqual(outcome.outcome, 'succeeded', JSON.stringify(outcome));
      });
      await played.finds('applied', 1);
      await played.counts(1, 1);
    },
  },
  {
    name: 'ends when it is stopped in the middle, and is then found as what it is',
    play: async (played) => {
      const stop = new AbortController();
      const held = await played.begin('held');
      const call = played.call(0, { signal: stop.signal });
      await first(held.reached, call);
      stop.abort();
      await isFoundAsItIs(played, call, held.end);
    },
  },
  {
    name: 'ends at its deadline in the middle, and is then found as what it is',
    play: async (played) => {
      const held = await played.begin('held');
      const deadline = Date.now() + DEADLINE_MS;
      const call = played.call(0, { deadline, signal: AbortSignal.timeout(DEADLINE_MS) });
      await first(held.reached, call);
      await isFoundAsItIs(played, call, held.end);
    },
  },
];

/** A call that ends before it comes to its effect would be waited for without end. */
const first = async (reached: Promise<void>, call: Promise<ToolRun>): Promise<void> => {
  const ended = await Promise.race([reached.then(() => null), call]);
  assert.equal(ended, null, `the call has ended before its effect: ${JSON.stringify(ended)}`);
};

const isFoundAsItIs = async (played: Played, call: Promise<ToolRun>, end: () => Promise<void>): Promise<void> => {
  const outcome = await call;
  assert.notEqual(outcome.outcome, 'succeeded', JSON.stringify(outcome));
  await end();
  const effects = await played.effects();
  if (outcome.outcome === 'failed') {
    assert.equal(effects, 0, `said to have done nothing: ${JSON.stringify(outcome)}`);
    assert.notEqual(outcome.retry, 'never', `given up for a stop: ${JSON.stringify(outcome)}`);
  }
  await played.finds(effects === 0 ? 'absent' : 'applied');
  const again = await played.call(0, { attempt: 1 });
  assert.equal(again.outcome, 'succeeded', JSON.stringify(again));
  await played.counts(1);
};
