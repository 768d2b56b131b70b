import { between, randomOf, shuffled } from '../seed.js';

export const victims = ['worker', 'executor', 'coordinator', 'reconciler'] as const;
/** What can be killed: `executor` is the parent and its worker together. */
export type Victim = (typeof victims)[number];

/** `atStep`: as soon as that many steps have succeeded in history. */
export type PlannedKill = { readonly atStep: number; readonly victim: Victim };

export type KillWishes = {
  readonly seed: number;
  readonly steps: number;
  readonly kill: Victim | 'none';
  readonly killAt: number;
  /** How many more, of all kinds. */
  readonly more: number;
};

/** The last ones come early enough that something is left to be done after them. */
const LAST_SHARE = 0.92;

/** All kills of a mission in the order of their steps; the same for the same seed. */
export const scheduleKills = ({ seed, steps, kill, killAt, more }: KillWishes): readonly PlannedKill[] => {
  const first: readonly PlannedKill[] = kill === 'none' ? [] : [{ atStep: killAt, victim: kill }];
  const from = kill === 'none' ? 1 : killAt + 1;
  const room = Math.max(more, Math.floor(steps * LAST_SHARE) - from);
  const random = randomOf(seed, 'kills');
  const kinds = Array.from({ length: Math.ceil(more / victims.length) }, () => shuffled(victims, random)).flat();
  const further = kinds.slice(0, more).map((victim, at): PlannedKill => {
    // One kill in each of as many equal stretches, so that they are spread over the whole run.
    const low = from + Math.floor((room * at) / more);
    const high = from + Math.floor((room * (at + 1)) / more) - 1;
    return { victim, atStep: Math.min(steps - 1, between(random, low, Math.max(low, high))) };
  });
  return [...first, ...further].sort((one, other) => one.atStep - other.atStep);
};
