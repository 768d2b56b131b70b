import { LOOPS, type Loops } from '@holdfast/programs';
import type { RunEventData } from '../run/run.events.js';
import type { LiveRun } from '../run/run.state.js';
import type { CallSeen, LoopWatch } from './budget.state.js';
import { withBudget } from './budget.evolve.js';

export type LoopRule = Omit<LoopWatch, 'calls' | 'warned'>;

export const loopRuleOf = (...asked: readonly (Loops | null | undefined)[]): LoopRule | null => {
  const given = asked.find((loops) => loops !== undefined && loops !== null);
  if (given === undefined || given === null) return null;
  const { repeatsMax, cycleMax, window, onLoop } = LOOPS;
  return {
    repeatsMax: given.repeatsMax ?? repeatsMax,
    cycleMax: given.cycleMax ?? cycleMax,
    window: given.window ?? window,
    onLoop: given.onLoop ?? onLoop,
  };
};

export type Loop = {
  /** One round of calls. */
  readonly pattern: readonly string[];
  /** Calls that brought nothing new. */
  readonly repeats: number;
};

/**
 * The loop that the last calls are in, if any: the same call with the same result again and again, or a round of such
 * calls. `repeats` counts those that an earlier one had made already.
 */
export const loopIn = ({ calls, cycleMax }: Pick<LoopWatch, 'calls' | 'cycleMax'>): Loop | null => {
  let found: Loop | null = null;
  for (let period = 1; period <= cycleMax; period += 1) {
    const repeats = repeatsOf(calls, period);
    if (repeats > (found?.repeats ?? 0)) found = { pattern: calls.slice(-period).map(({ call }) => call), repeats };
  }
  const last = calls.at(-1);
  if (last === undefined) return null;
  const again = sinceChange(calls, last) - 1;
  return again > (found?.repeats ?? 0) ? { pattern: [last.call], repeats: again } : found;
};

/** How many of the last calls are what was called `period` before them, with the same result. */
const repeatsOf = (calls: readonly CallSeen[], period: number): number => {
  let repeats = 0;
  for (let at = calls.length - 1; at >= period; at -= 1) {
    const [now, before] = [calls[at], calls[at - period]];
    if (now?.call !== before?.call || now?.result !== before?.result) break;
    repeats += 1;
  }
  return repeats;
};

/** How often a call came with its present result, other calls in between or not, since it last had another one. */
const sinceChange = (calls: readonly CallSeen[], last: CallSeen): number => {
  const same = calls.filter(({ call }) => call === last.call).toReversed();
  const change = same.findIndex(({ result }) => result !== last.result);
  return change < 0 ? same.length : change;
};

export const watchCall = (run: LiveRun, call: CallSeen | null): LiveRun => {
  if (run.loop === null || call === null) return run;
  return { ...run, loop: { ...run.loop, calls: [...run.loop.calls, call].slice(-run.loop.window) } };
};

/** Whether a warning was given about all calls of the loop. */
export const isWarned = ({ calls, warned }: LoopWatch, { pattern }: Pick<Loop, 'pattern'>): boolean =>
  calls.slice(-pattern.length).every((call) => warned.includes(seenAs(call)));

/** Calls that came before with the same result: all of them are warned of at once, also where others are in between. */
const repeatedIn = (calls: readonly CallSeen[]): readonly string[] => {
  const seen = calls.map(seenAs);
  return [...new Set(seen.filter((call, at) => seen.indexOf(call) !== at))];
};

const seenAs = ({ call, result }: CallSeen): string => `${call} ${result}`;

export const applyLoopFound = (run: LiveRun, data: RunEventData<'LoopFound'>): LiveRun => {
  const loop = run.loop && { ...run.loop, warned: repeatedIn(run.loop.calls) };
  if (data.level === 'warned') return { ...run, loop };
  const stop = { reason: 'looping', detail: data.detail, asks: data.policy === 'ask' } as const;
  return { ...withBudget(run, { stop }), loop };
};
