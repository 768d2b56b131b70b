import { actsAfterAll, zombies } from './focus.js';
import type { Mutant } from './mutant.js';

export const reconcilerMutants: readonly Mutant[] = [
  {
    rules: ['reconciler.absentOnlyAfterSettled', 'coordinator.settleWindow'],
    breaks: actsAfterAll,
    focus: { ...zombies, tools: ['verifiable'], hasty: [0] },
    from: 1,
  },
  {
    rules: ['reconciler.oneDefinitiveVerdict'],
    breaks: ['oneDefinitiveVerdict'],
    focus: {
      ...zombies,
      tools: ['verifiable'],
      faulty: ['worker/timer/kill', 'coordinator/*/away'],
      slowGate: 'deliver run-events',
      slowMs: [3_000],
      slowOften: [0.7],
    },
    from: 1,
  },
  {
    rules: ['reconciler.askedAtBeforeQuestion', 'reconciler.absentOnlyAfterSettled'],
    breaks: actsAfterAll,
    focus: {
      ...zombies,
      reconcilers: [2, 2],
      tools: ['verifiable'],
      hasty: [0],
      trouble: [0.6],
      slowCalls: [0.8],
      faults: [5, 9],
      faulty: ['worker/timer/kill'],
    },
    from: 10,
  },
  {
    rules: ['reconciler.onlyWhileInDoubt'],
    breaks: ['onlyOpenDoubtsAreJudged'],
    focus: {
      ...zombies,
      tools: ['verifiable'],
      slowMs: [50],
      reconcilers: [1, 1],
      losses: [0, 0],
      faults: [5, 9],
      slowCalls: [0.9],
      faulty: ['executor/*/away', 'executor/*/freeze'],
    },
    from: 40,
  },
];
