import type { FaultStill } from './stillness.js';

/** What was counted over one scenario. `problems` names each thing that should not be, duplicates and losses included. */
export type Result = {
  readonly name: string;
  /** What was done to the environment, in words with figures. */
  readonly faults: readonly string[];
  readonly runs: number;
  readonly effects: number;
  /** Effects made more often than their policy allows. */
  readonly duplicates: number;
  /** Effects that a succeeded run has not made. */
  readonly lost: number;
  /** Runs by the reason of their end. */
  readonly ends: Readonly<Record<string, number>>;
  /** For each fault: from the moment it was over until every lane had made a new effect. */
  readonly recoveryMs: readonly number[];
  /** For each fault that was timed: how long nothing went on around it. */
  readonly still: readonly FaultStill[];
  readonly problems: readonly string[];
};

/** Makes something happen to a stage while runs go on, and waits until all of them have ended. */
export type Scenario<Stage> = (stage: Stage, seed: number) => Promise<Omit<Result, 'name'>>;

export type Environment = {
  readonly name: string;
  readonly scenarios: readonly string[];
  /** Starts brokers and services. */
  open(): Promise<OpenEnvironment>;
};

export type OpenEnvironment = {
  /** One after the other, each as often as is liked. */
  run(scenario: string, seed: number): Promise<Result>;
  close(): Promise<void>;
};

/** An environment whose scenarios share one stage. */
export const environmentOf = <Stage extends { close(): Promise<void> }>(
  name: string,
  open: () => Promise<Stage>,
  scenarios: Readonly<Record<string, Scenario<Stage>>>,
): Environment => ({
  name,
  scenarios: Object.keys(scenarios),
  open: async () => {
    const stage = await open();
    const run = async (scenario: string, seed: number): Promise<Result> => {
      const make = scenarios[scenario];
      if (make === undefined) throw new Error(`${name} has no scenario "${scenario}"`);
      return { name: scenario, ...(await make(stage, seed)) };
    };
    return { run, close: () => stage.close() };
  },
});
