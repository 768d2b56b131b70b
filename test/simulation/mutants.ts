import { boundMutants } from './mutants/bound.mutants.js';
import { coordinatorMutants } from './mutants/coordinator.mutants.js';
import { gatewayMutants } from './mutants/gateway.mutants.js';
import type { Mutant } from './mutants/mutant.js';
import { reconcilerMutants } from './mutants/reconciler.mutants.js';
import { sessionMutants } from './mutants/session.mutants.js';

/** Every rule, with what it protects and the kind of scenario in which it is worth looking for what happens without it. */
export const MUTANTS: readonly Mutant[] = [
  ...coordinatorMutants,
  ...boundMutants,
  ...sessionMutants,
  ...reconcilerMutants,
  ...gatewayMutants,
];

/** Rules whose lack no search can show, with the reason: only a scripted schedule does. */
export const SCRIPTED_ONLY: Readonly<Record<string, string>> = {
  'coordinator.noLateBirth': 'a child may be born for five minutes, and a history takes less than two',
  'coordinator.neverAroundADoubt': 'nothing is undone in these histories',
  'coordinator.wordsClimb': 'no worker that keeps the other rules says two such words about one attempt',
};
