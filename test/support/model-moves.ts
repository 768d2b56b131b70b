import type { ReplayPolicy } from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import * as fc from 'fast-check';
import type { ModelWorld } from './model-world.js';
import { forEach, planOf, step } from './plans.js';

const policies = fc.constantFrom<ReplayPolicy>('pure', 'repeatable', 'keyed', 'verifiable', 'unprotected');

/** Three steps, of any policies, the last one perhaps for each of two items. */
export const plans: fc.Arbitrary<Plan> = fc.tuple(policies, policies, policies, fc.boolean()).map(([a, b, c, each]) => {
  const last = each ? forEach('c', [1, 2], step('d', c)) : step('c', c, { after: ['a'] });
  return planOf(step('a', a), step('b', b), last);
});

export type Move = { readonly name: string; readonly move: (world: ModelWorld) => void };
const named = (name: string, move: Move['move']) => ({
  name,
  move,
  toString: () => name,
  [fc.toStringMethod]: () => name,
});
const small = fc.nat(7);
/** What executors, a reconciler, people and faults may do next. */
export const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(small, small).map(([i, j]) => named(`claim ${i} ${j}`, (w) => w.claim(i, j))) },
  { weight: 4, arbitrary: fc.constant(named('readClaims', (w) => w.readClaims())) },
  { weight: 4, arbitrary: small.map((i) => named(`act ${i}`, (w) => w.act(i))) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(small, fc.constantFrom('succeeded' as const, 'failed' as const, 'skipped' as const, 'unknown' as const))
      .map(([i, how]) => named(`speak ${i} ${how}`, (w) => w.speak(i, how))),
  },
  { weight: 2, arbitrary: small.map((i) => named(`kill ${i}`, (w) => w.kill(i))) },
  { weight: 1, arbitrary: small.map((i) => named(`mistake ${i}`, (w) => w.mistake(i))) },
  { weight: 1, arbitrary: fc.constant(named('back', (w) => w.back())) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(1, 100, 700, 2_000, 11_000).map((ms) => named(`tick ${ms}`, (w) => w.tick(ms))),
  },
  { weight: 2, arbitrary: fc.constant(named('reconcile', (w) => w.reconcile())) },
  { weight: 1, arbitrary: fc.constant(named('answer', (w) => w.answer())) },
  { weight: 1, arbitrary: fc.constant(named('replace', (w) => w.replace())) },
  { weight: 1, arbitrary: fc.constant(named('pause', (w) => w.ask('PauseRun'))) },
  { weight: 1, arbitrary: fc.constant(named('resume', (w) => w.ask('ResumeRun'))) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(5_000, 500_000)
      .map((deadlineMs) => named(`steer ${deadlineMs}`, (w) => w.ask('SteerRun', { deadlineMs }))),
  },
);
