import type { Effect } from '../effects/effect-server.js';
import { gaps, percentiles, repeatsAndLosses } from '../measures.js';
import type { Workload } from '../workloads/workload.js';
import type { Environment } from './environment.js';
import { Facts } from './facts.js';
import type { History } from './history.js';

export type Measurement = {
  readonly workload: string;
  readonly runs: number;
  readonly steps: number;
  readonly effects: number;
  readonly wallMs: number;
  readonly stepsPerSecond: number;
  readonly runsPerSecond: number;
  /** What the percentiles are about. */
  readonly latencyOf: Workload['latencyOf'];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly duplicates: number;
  readonly lost: number;
};

/** Runs a workload to its end and counts what it did. Throws when a run does not succeed. */
export const measure = async (workload: Workload, environment: Environment, history: History): Promise<Measurement> => {
  const facts = new Facts();
  const unsubscribe = history.onFact((fact) => facts.add(fact));
  const startedAt = Date.now();
  await submitAll(workload, history, facts);
  unsubscribe();
  if (facts.failures.length > 0) throw new Error(`runs did not succeed: ${facts.failures.slice(0, 3).join('; ')}`);
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
    ...percentiles(latencies(workload, facts, effects)),
    ...repeatsAndLosses(
      effects.map(({ name }) => name),
      workload.effects,
    ),
  };
};

const submitAll = async ({ runs, atOnce }: Workload, history: History, facts: Facts): Promise<void> => {
  const waiting = [...runs];
  const lane = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      const ended = facts.ended(run.runId);
      await history.submit(run);
      await ended;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
};

const latencies = ({ latencyOf }: Workload, facts: Facts, effects: readonly Effect[]): readonly number[] => {
  switch (latencyOf) {
    case 'effect to effect':
      return gaps(effects.map(({ atMs }) => atMs));
    case 'step':
      return facts.stepMs;
    case 'run':
      return facts.runMs;
  }
};

const rate = (count: number, wallMs: number): number => Math.round((count * 10_000) / wallMs) / 10;
