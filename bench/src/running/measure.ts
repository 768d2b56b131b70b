import { setTimeout as sleep } from 'node:timers/promises';
import type { Effect } from '../effects/effect-server.js';
import { gaps, percentiles, repeatsAndLosses, type Percentiles } from '../measures.js';
import type { Workload } from '../workloads/workload.js';
import { Cancels, type CancelFigures } from './cancels.js';
import type { Environment } from './environment.js';
import { Facts } from './facts.js';
import type { History } from './history.js';

export type Measurement = Percentiles & {
  readonly workload: string;
  readonly runs: number;
  readonly steps: number;
  readonly effects: number;
  readonly wallMs: number;
  readonly stepsPerSecond: number;
  readonly runsPerSecond: number;
  /** What the percentiles are about. */
  readonly latencyOf: Workload['latencyOf'];
  readonly duplicates: number;
  readonly lost: number;
} & Partial<CancelFigures>;

/** What begins after the end of a cancelled run has begun by then. */
const LATE_MS = 1_500;

/** Runs a workload to its end and counts what it did. Throws when a run does not end as it is to. */
export const measure = async (workload: Workload, environment: Environment, history: History): Promise<Measurement> => {
  const facts = new Facts(workload.cancelAfter === null ? 'succeeded' : 'cancelled');
  const cancels = workload.cancelAfter === null ? null : new Cancels(workload.cancelAfter);
  const unsubscribe = history.onFact((fact) => {
    // First: whoever waits for the end of a run must find its cancel counted.
    cancels?.add(fact);
    facts.add(fact);
  });
  const startedAt = Date.now();
  await runAll(workload, history, { facts, cancels });
  if (cancels !== null) await sleep(LATE_MS);
  unsubscribe();
  if (facts.failures.length > 0)
    throw new Error(`runs did not end as they were to: ${facts.failures.slice(0, 3).join('; ')}`);
  const wallMs = Math.max(1, facts.lastEndAt - startedAt);
  const wanted = new Set(workload.effects);
  const effects = (await environment.effects()).filter(({ name }) => wanted.has(name));
  return {
    workload: workload.name,
    runs: workload.runs.length,
    steps: facts.stepsSucceeded,
    effects: effects.length,
    wallMs,
    stepsPerSecond: rate(facts.stepsSucceeded, wallMs),
    runsPerSecond: rate(workload.runs.length, wallMs),
    latencyOf: workload.latencyOf,
    ...percentiles(latencies(workload, { facts, cancels }, effects)),
    ...repeatsAndLosses(...namesOf(workload, cancels, effects)),
    ...cancels?.figures(effects),
  };
};

type Counted = { readonly facts: Facts; readonly cancels: Cancels | null };

const runAll = async ({ runs, atOnce }: Workload, history: History, { facts, cancels }: Counted): Promise<void> => {
  const waiting = [...runs];
  const lane = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      const { runId } = run;
      const ended = facts.ended(runId);
      const due = cancels?.due(runId);
      await history.submit(run);
      await due;
      if (cancels !== null) await history.cancel(runId);
      await ended;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
};

/** Effects that were seen and those that had to be, by what tells them apart. */
const namesOf = (
  workload: Workload,
  cancels: Cancels | null,
  effects: readonly Effect[],
): Parameters<typeof repeatsAndLosses> =>
  cancels === null
    ? [effects.map(({ name }) => name), workload.effects]
    : [effects.map(({ key }) => key), [...cancels.applied]];

const latencies = (
  { latencyOf }: Workload,
  { facts, cancels }: Counted,
  effects: readonly Effect[],
): readonly number[] => {
  switch (latencyOf) {
    case 'effect to effect':
      return gaps(effects.map(({ atMs }) => atMs));
    case 'step':
      return facts.stepMs;
    case 'run':
      return facts.runMs;
    case 'cancel':
      return cancels?.terminalMs ?? [];
  }
};

const rate = (count: number, wallMs: number): number => Math.round((count * 10_000) / wallMs) / 10;
