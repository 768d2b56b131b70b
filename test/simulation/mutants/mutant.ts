import type { Invariant } from '../invariants/invariant.js';
import type { Focus } from '../scenario/generate.js';

export type Mutant = {
  /** The rule that is looked for, and those that would stand in for it: switched off together. */
  readonly rules: readonly [string, ...string[]];
  /** What the rule protects: it is caught where one of these is broken, and not by anything else. */
  readonly breaks: readonly Invariant[];
  readonly focus: Focus;
  /** The first seed to try. */
  readonly from: number;
};
