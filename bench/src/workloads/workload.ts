import type { Json, Plan, PlanStep } from '@holdfast/programs';

/** Runs to submit, and the effects that they must have had when all have ended; cancelled ones have had some of them. */
export type Workload = {
  readonly name: string;
  readonly runs: readonly { readonly runId: string; readonly program: Plan; readonly input: Json }[];
  readonly effects: readonly string[];
  readonly steps: number;
  /** Runs under way at the same time. */
  readonly atOnce: number;
  /** A run is cancelled when so many of its steps have succeeded; null: it goes on to its end. */
  readonly cancelAfter: number | null;
  /**
   * What `p50Ms`, `p99Ms` and `maxMs` are about: from one effect to the next, a step from scheduled to succeeded, a
   * whole run from accepted to ended, or from a cancel to the end of its run.
   */
  readonly latencyOf: 'effect to effect' | 'step' | 'run' | 'cancel';
};

export type WorkloadOptions = {
  /** Tells this use of a workload from others on the same brokers. */
  readonly tag: string;
  /** How much: steps, documents or runs. */
  readonly count: number;
  readonly window: number;
};

/** A plan that does the steps for each of its names. */
export const overNames = (window: number, steps: readonly PlanStep[]): Plan => ({
  kind: 'plan',
  steps: [{ id: 'each', forEach: { $from: 'input.names' }, window, steps }],
});

export const names = (tag: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${tag}-${at}`);
