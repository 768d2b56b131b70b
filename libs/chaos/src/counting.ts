import type { ReplayPolicy } from '@holdfast/events';
import { keysOf, type TrackedRun, type TrackedStep } from './tracked-run.js';
import type { Count } from './witness.js';

/** What counts as a repeat and as a loss. */
export type Strictness = {
  /** An effect of these made more than once is a duplicate; of others it is a repeat that their policy allows. */
  readonly once: ReadonlySet<ReplayPolicy>;
  /** A step of these that has succeeded and whose effect is nowhere is lost. */
  readonly kept: ReadonlySet<ReplayPolicy>;
};

export const EFFECTS_ONCE: Strictness = {
  once: new Set(['keyed', 'verifiable', 'unprotected']),
  kept: new Set(['keyed', 'verifiable', 'unprotected']),
};

export type Tally = {
  readonly effects: number;
  readonly duplicates: number;
  /** Allowed by policy. */
  readonly repeats: number;
  readonly lost: number;
  /** Steps whose effect nobody could tell. */
  readonly untold: number;
  /** Steps of which it is known that they acted, and not how often. */
  readonly uncounted: number;
};

export const NOTHING: Tally = { effects: 0, duplicates: 0, repeats: 0, lost: 0, untold: 0, uncounted: 0 };

export const plus = (a: Tally, b: Tally): Tally => ({
  effects: a.effects + b.effects,
  duplicates: a.duplicates + b.duplicates,
  repeats: a.repeats + b.repeats,
  lost: a.lost + b.lost,
  untold: a.untold + b.untold,
  uncounted: a.uncounted + b.uncounted,
});

/** Counts the effects of one run. A run that was to be carried through and did not succeed is one loss more. */
export const countRun = (run: TrackedRun, counts: ReadonlyMap<string, Count>, strictness: Strictness): Tally => {
  const steps = [...run.steps.values()].map((step) => countStep(step, countOf(step, counts), strictness));
  const unfinished = isUnfinished(run) ? 1 : 0;
  return steps.reduce(plus, { ...NOTHING, lost: unfinished });
};

const isUnfinished = ({ ended, purpose, givenUp }: TrackedRun): boolean => {
  if (ended === null) return true;
  return purpose === 'carried' && ended.reason !== 'succeeded' && !givenUp;
};

/** All that a step has made, under whatever key. */
const countOf = (step: TrackedStep, counts: ReadonlyMap<string, Count>): Count | undefined => {
  const told = keysOf(step).flatMap((key) => counts.get(key) ?? []);
  const times = told.flatMap((count) => count.times ?? []);
  if (times.length === 0) return undefined;
  return { times: times.reduce((sum, one) => sum + one, 0), counted: told.every(({ counted }) => counted) };
};

const countStep = (step: TrackedStep, count: Count | undefined, { once, kept }: Strictness): Tally => {
  const times = count?.times ?? null;
  if (times === null) return { ...NOTHING, untold: step.succeeded && kept.has(step.policy) ? 1 : 0 };
  const more = Math.max(0, times - 1);
  return {
    effects: times,
    duplicates: once.has(step.policy) ? more : 0,
    repeats: once.has(step.policy) ? 0 : more,
    lost: step.succeeded && times === 0 && kept.has(step.policy) ? 1 : 0,
    untold: 0,
    uncounted: count?.counted === true ? 0 : 1,
  };
};
