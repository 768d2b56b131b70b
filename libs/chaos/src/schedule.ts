import { failpointNames, type FailpointName } from '@holdfast/service/failpoint';
import { pick, randomOf, shuffled } from './random.js';
import { triggerOf } from './triggers.js';

export const actions = ['kill', 'freeze'] as const;
export type StrikeAction = (typeof actions)[number];

/** One process to be ended or frozen at one failpoint. */
export type Strike = {
  readonly id: number;
  readonly point: FailpointName;
  readonly action: StrikeAction;
  /** At the n-th time that one process comes there. */
  readonly nth: number;
  /** What becomes of a frozen one once others have taken over. */
  readonly after: 'wake' | 'kill';
};

export type ScheduleOptions = {
  readonly seed: number;
  readonly points?: readonly FailpointName[];
  readonly actions?: readonly StrikeAction[];
};

const NTH_MAX = 4;

/**
 * The window that no runtime can close: whoever sleeps between its last check and the first byte of its effect acts late
 * on waking. It is killed there, never woken.
 */
const NEVER_WOKEN: FailpointName = 'executor.effect.before';

/** A sweep strikes each point once with each action, in an order that follows from the seed. */
export const scheduleSweeps = (sweeps: number, options: ScheduleOptions): readonly Strike[] => {
  const { seed, points = failpointNames, actions: wanted = actions } = options;
  const random = randomOf(seed);
  return Array.from({ length: sweeps }, (_, sweep) =>
    shuffled(
      random,
      points.flatMap((point, index) =>
        wanted.map((action) => ({ ...placed(point, action, random), after: afterOf(point, sweep + index) })),
      ),
    ),
  )
    .flat()
    .map((strike, id) => ({ ...strike, id }));
};

/** Strikes at random, for as long as one likes. */
export const scheduleRandom = (count: number, options: ScheduleOptions): readonly Strike[] => {
  const { seed, points = failpointNames, actions: wanted = actions } = options;
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, id) => {
    const point = pick(random, points);
    const strike = placed(point, pick(random, wanted), random);
    return { ...strike, id, after: afterOf(point, random() < 0.5 ? 0 : 1) };
  });
};

const placed = (point: FailpointName, action: StrikeAction, random: () => number) => ({
  point,
  action,
  // What is reached by itself is reached often; the others may be reached once.
  nth: triggerOf(point) === 'load' ? 1 + Math.floor(random() * NTH_MAX) : 1,
});

const afterOf = (point: FailpointName, turn: number): Strike['after'] =>
  point !== NEVER_WOKEN && turn % 2 === 0 ? 'wake' : 'kill';
