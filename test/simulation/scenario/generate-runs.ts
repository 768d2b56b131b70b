import { conflictPolicies } from '@holdfast/events';
import type { Dice } from '../engine/dice.js';
import { programOf } from './generate-program.js';
import type { Focus } from './generate.js';
import type { Ask, Bulk, RunOrder } from './scenario.js';

/** What all runs of a scenario have in common. */
export type Of = {
  readonly dice: Dice;
  readonly focus: Focus;
  readonly keyTtlMs: number;
  readonly hasKeys: boolean;
  readonly hasChildren: boolean;
};

const TEAMS = ['red', 'blue'] as const;
const KEYS = ['k', 'm', 'n'] as const;
/** Some shorter than the time by which an end is ahead of its deadline. Ms. */
const BOUNDS = [0, 300, 1_000, 3_000, 15_000] as const;

export const runOf = (of: Of, index: number): RunOrder => {
  const { dice, focus, keyTtlMs, hasChildren } = of;
  const at = dice.between('run at', 0, 8_000);
  const asks = [...cancelOf(dice, focus, at), ...pauseOf(dice, focus, at), ...killOf(dice, focus, at)];
  // Whoever is not resumed ends by its deadline, and others may wait for its key.
  const longest = asks.some(({ what }) => what === 'pause') ? dice.between('paused deadline', 6_000, 20_000) : 500_000;
  // A plan whose keys may be forgotten while it runs is refused.
  const deadlineMs = Math.min(longest, keyTtlMs - 500);
  return {
    runId: `run-${index}`,
    at,
    program: programOf(dice, focus, hasChildren),
    deadlineMs,
    asks,
    copies: dice.chance('run copied', focus.copied ?? 0.2) ? 2 : 1,
    team: dice.pick('team', TEAMS),
    ...keyOf(of),
  };
};

const cancelOf = (dice: Dice, focus: Focus, at: number): readonly Ask[] => {
  if (!dice.chance('run cancelled', focus.cancelled ?? 0.2)) return [];
  const after = dice.between('run cancel after', 0, 6_000);
  const isEarly = dice.chance('cancel early', focus.early ?? 0);
  const when = isEarly ? Math.max(0, at - dice.between('cancel before', 1, 2_000)) : at + after;
  return [{ what: 'cancel', at: when, ...howOf(dice, focus) }];
};

const howOf = (dice: Dice, focus: Focus): Pick<Ask, 'withinMs' | 'mode'> =>
  dice.chance('cancel how', focus.bounded ?? 0)
    ? { withinMs: dice.pick('cancel within', BOUNDS), mode: dice.pick('cancel mode', ['abort', 'drain']) }
    : {};

const pauseOf = (dice: Dice, focus: Focus, at: number): readonly Ask[] => {
  if (!dice.chance('run paused', focus.paused ?? 0)) return [];
  const when = at + dice.between('pause after', 0, 4_000);
  const pause = { what: 'pause', at: when } as const;
  if (!dice.chance('resumed', 0.7)) return [pause];
  return [pause, { what: 'resume', at: when + dice.between('resume after', 100, 8_000) }];
};

const killOf = (dice: Dice, focus: Focus, at: number): readonly Ask[] =>
  dice.chance('run killed', focus.killed ?? 0) ? [{ what: 'kill', at: at + dice.between('kill after', 0, 6_000) }] : [];

const keyOf = ({ dice, hasKeys }: Of): Pick<RunOrder, 'concurrency' | 'generation' | 'validMs'> => {
  if (!hasKeys) return {};
  return {
    concurrency: { key: dice.pick('key', KEYS), policy: dice.pick('key policy', conflictPolicies) },
    ...(dice.chance('generation', 0.4) ? { generation: dice.between('generation of', 0, 3) } : {}),
    ...(dice.chance('valid', 0.2) ? { validMs: dice.between('valid for', 300, 12_000) } : {}),
  };
};

export const bulkOf = (dice: Dice): Bulk => ({
  at: dice.between('bulk at', 500, 10_000),
  team: dice.pick('bulk team', TEAMS),
  withinMs: dice.pick('bulk within', BOUNDS),
});
