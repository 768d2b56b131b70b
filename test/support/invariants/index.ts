import {
  closedNeverActs,
  effectAfterFirstClaim,
  nothingRunAgainUnasked,
  oneAttemptActs,
  reportAgrees,
} from './effects.js';
import type { Invariant } from './evidence.js';
import { commandsOfHistory, inputsOnce, oneOwner } from './log.js';

export type { Effect, Evidence, EvidencePart, Invariant } from './evidence.js';

/** What must hold of log and ledger at every moment, whatever happens. */
export const invariants: readonly Invariant[] = [
  effectAfterFirstClaim,
  oneAttemptActs,
  nothingRunAgainUnasked,
  closedNeverActs,
  oneOwner,
  inputsOnce,
  commandsOfHistory,
  reportAgrees,
];
