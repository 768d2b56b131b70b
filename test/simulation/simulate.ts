import type { Violation } from './invariants/checks.js';
import { ALL_RULES, type AllRules } from './rules.js';
import type { Scenario } from './scenario/scenario.js';
import { World } from './world/world.js';

export type Simulated = {
  readonly violation: Violation | null;
  readonly trace: readonly string[];
  /** Virtual ms that passed. */
  readonly tookMs: number;
  readonly effects: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly facts: number;
  /** The kinds of requests that were made. */
  readonly requestTypes: ReadonlySet<string>;
  /** How often each kind of fault has struck, and each fate has met an append. */
  readonly struck: ReadonlyMap<string, number>;
};

/** Plays a scenario to its end, or to the first violation. The same scenario always gives the same. */
export const simulate = async (scenario: Scenario, rules: AllRules = ALL_RULES): Promise<Simulated> => {
  const world = new World(scenario, rules);
  await world.run();
  const { checks, office, trace, schedule, faults, saboteur } = world;
  const ends: Record<string, number> = {};
  for (const { reason } of checks.history.ends.values()) ends[reason] = (ends[reason] ?? 0) + 1;
  return {
    violation: checks.violation,
    trace: trace.lines,
    tookMs: schedule.now,
    effects: [...office.entries.values()].flat().length,
    ends,
    requestTypes: checks.requestTypes,
    struck: new Map<string, number>([...world.struck, ...faults.lost, ...saboteur.laid]),
    facts: checks.lanes.reduce((sum, { state }) => sum + state.seq + 1, 0),
  };
};
