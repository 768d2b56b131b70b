import type { Violation } from './invariants/checks.js';
import type { Mutant } from './mutants/mutant.js';
import { withoutRules } from './rules.js';
import { scenarioOf } from './scenario/generate.js';
import { simulate } from './simulate.js';

export type Caught = { readonly seed: number; readonly violation: Violation };

/** How many seeds a rule is looked for in. */
const SEEDS_MAX = 200;

/** The name of a mutant: its rules. */
export const nameOf = ({ rules }: Mutant): string => rules.join(' + ');

/**
 * The first seed in which the lack of the first rule breaks what the rule protects: it is clean with all rules, and
 * where others are switched off as well, with the first one back. Null where none of the first `seedsMax` is such a seed. Rejects where the
 * scenario is not clean with all rules.
 */
export const catchMutant = async (mutant: Mutant, seedsMax = SEEDS_MAX): Promise<Caught | null> => {
  const rules = withoutRules(mutant.rules);
  for (let seed = mutant.from; seed < mutant.from + seedsMax; seed += 1) {
    const scenario = scenarioOf(seed, mutant.focus);
    const { violation } = await simulate(scenario, rules);
    if (violation === null || !mutant.breaks.includes(violation.invariant)) continue;
    const control = await simulate(scenario);
    if (control.violation !== null)
      throw new Error(`seed ${seed} of ${nameOf(mutant)} breaks ${control.violation.invariant} with all rules`);
    if (await isCleanWithFirst(mutant, seed)) return { seed, violation };
  }
  return null;
};

const isCleanWithFirst = async ({ rules: [, ...others], focus }: Mutant, seed: number): Promise<boolean> => {
  if (others.length === 0) return true;
  const { violation } = await simulate(scenarioOf(seed, focus), withoutRules(others));
  return violation === null;
};
