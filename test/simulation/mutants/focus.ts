import type { Invariant } from '../invariants/invariant.js';

/** What is taken not to have acted has acted: what history, the report and the ledger say of it. */
export const actsAfterAll: readonly Invariant[] = [
  'absentNeverActs',
  'absentIsTrue',
  'noRunAgain',
  'noEffectTwice',
  'nothingContradicted',
  'reportTellsTheTruth',
];

export const effects = ['verifiable', 'unprotected'] as const;

export const twoOfEach = { coordinators: [2, 2], executors: [2, 2], reconcilers: [1, 1], lanes: [1, 1] } as const;

/** One worker whose calls take long, on one partition, and everybody around it who may take it for dead. */
export const zombies = {
  ...twoOfEach,
  partitions: [1, 1],
  runs: [1, 2],
  tools: effects,
  trouble: [0.3],
  slowCalls: [0.4],
  timeoutMs: [4_000],
  faults: [3, 6],
  cancelled: 0,
} as const;

/** Two workers that both believe in the seat of one partition, and news of claims that comes late. */
export const rivals = {
  ...twoOfEach,
  partitions: [1, 1],
  runs: [3, 3],
  tools: effects,
  faults: [4, 8],
  faulty: ['executor/*/swap', 'executor/*/unseat'],
  slowMs: [3_000],
  slowOften: [0.5],
} as const;

/** Nothing goes wrong but what the search is about. */
export const calm = {
  trouble: [0],
  slowMs: [50],
  faults: [0, 0],
  hasty: [0],
  cancelled: 0,
  lacks: {},
  tools: effects,
} as const;

/** Calls under a key that take so long, and go wrong so often, that the key may be forgotten. */
export const forgottenKeys = {
  ...zombies,
  tools: ['keyed-blind'],
  keyTtlMs: [13_000],
  trouble: [0.6],
  slowCalls: [0.9],
  cancelled: 0,
  faults: [5, 9],
  faulty: ['worker/timer/kill', 'executor/*/freeze'],
} as const;

/** Coordinators that hear nothing of living sessions for a while. */
export const unheard = {
  ...zombies,
  slowMs: [7_000],
  slowOften: [1],
  slowGate: 'deliver heartbeats',
  faults: [4, 8],
  faulty: ['coordinator/*/away'],
  losses: [0, 0],
  slowCalls: [0.9],
} as const;
