import { calm, effects, twoOfEach } from './focus.js';
import type { Mutant } from './mutant.js';

/** Rules about what people and other runs set as bounds to a run. */
export const boundMutants: readonly Mutant[] = [
  {
    rules: ['coordinator.pauseCloses'],
    breaks: ['pausedStartsNothing'],
    focus: {
      ...calm,
      executors: [1, 1],
      concurrency: [1],
      slowCalls: [0.9],
      losses: [0, 0],
      runs: [3, 3],
      steps: [3, 4],
      paused: 0.8,
    },
    from: 1,
  },
  {
    rules: ['coordinator.keyBeforeSteps'],
    breaks: ['oneHolderPerKey'],
    focus: { ...calm, keys: 1, runs: [2, 4], slowCalls: [0.9] },
    from: 1,
  },
  {
    rules: ['coordinator.returnGrantedKey'],
    breaks: ['keyIsNeverStuck'],
    focus: {
      ...twoOfEach,
      lanes: [2, 2],
      keys: 1,
      runs: [4, 5],
      cancelled: 0.9,
      bounded: 1,
      early: 0.3,
      lossy: ['coordinator/run-requests/held', 'coordinator/run-requests/twice'],
      losses: [4, 8],
      faulty: ['coordinator/answer run-requests/kill', 'coordinator/answer run-replies/kill'],
      faults: [2, 5],
    },
    from: 1,
  },
  {
    rules: ['coordinator.stopChildren'],
    breaks: ['childrenEndWithTheirParent'],
    focus: {
      ...calm,
      tools: effects,
      losses: [0, 0],
      slowCalls: [0.9],
      families: 1,
      cancelled: 0.8,
      bounded: 1,
      lanes: [2, 2],
    },
    from: 1,
  },
];
