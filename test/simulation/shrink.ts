import type { Json, Plan, PlanNode } from '@holdfast/programs';
import type { AllRules } from './rules.js';
import type { RunOrder, Scenario } from './scenario/scenario.js';
import { simulate } from './simulate.js';

/** How often a smaller scenario is tried. */
const TRIES_MAX = 400;

/**
 * A smaller scenario that breaks the same invariant: runs, steps, faults, losses and processes are left out for as long
 * as it still breaks. Chance goes by name and count, so what is left out changes little of the rest.
 */
export const shrink = async (scenario: Scenario, invariant: string, rules: AllRules): Promise<Scenario> => {
  let smallest = scenario;
  let tries = 0;
  for (let found = true; found;) {
    found = false;
    for (const smaller of smallerThan(smallest)) {
      if ((tries += 1) > TRIES_MAX) return smallest;
      const { violation } = await simulate(smaller, rules);
      if (violation?.invariant !== invariant) continue;
      smallest = smaller;
      found = true;
      break;
    }
  }
  return smallest;
};

/** Everything that is one thing less, the largest things first. */
function* smallerThan(scenario: Scenario): Iterable<Scenario> {
  const { runs, faults, losses, coordinators, executors, reconcilers } = scenario;
  if (runs.length > 1) for (const rest of leavingOut(runs)) yield { ...scenario, runs: rest };
  for (const rest of leavingOut(faults)) yield { ...scenario, faults: rest };
  for (const rest of leavingOut(losses)) yield { ...scenario, losses: rest };
  for (const rest of leavingOut(scenario.bulks)) yield { ...scenario, bulks: rest };
  for (const rest of leavingOut(scenario.gatewayFaults)) yield { ...scenario, gatewayFaults: rest };
  for (const rest of leavingOut(scenario.spoils)) yield { ...scenario, spoils: rest };
  if (scenario.snapshotEvents > 0) yield { ...scenario, snapshotEvents: 0 };
  for (const rest of leavingOut(scenario.rebuilds)) yield { ...scenario, rebuilds: rest };
  if (coordinators > 1) yield { ...scenario, coordinators: 1 };
  if (executors > 1) yield { ...scenario, executors: 1 };
  if (reconcilers > 1) yield { ...scenario, reconcilers: 1 };
  if (scenario.gateways > 0) yield { ...scenario, gateways: scenario.gateways - 1 };
  yield* calmer(scenario);
  for (const [index, run] of runs.entries()) {
    for (const simpler of simplerThan(run)) yield { ...scenario, runs: runs.with(index, simpler) };
  }
}

/** Less that goes wrong by chance. */
function* calmer(scenario: Scenario): Iterable<Scenario> {
  if (scenario.trouble > 0) yield { ...scenario, trouble: 0 };
  if (scenario.slowOften > 0) yield { ...scenario, slowOften: 0 };
  if (scenario.slowCalls > 0) yield { ...scenario, slowCalls: 0 };
  if (scenario.databaseAway > 0) yield { ...scenario, databaseAway: 0 };
  if (scenario.hasty > 0) yield { ...scenario, hasty: 0 };
  if (Object.keys(scenario.lacks).length > 0) yield { ...scenario, lacks: {} };
  if (Object.keys(scenario.offMs).length > 0) yield { ...scenario, offMs: {} };
}

function* simplerThan(run: RunOrder): Iterable<RunOrder> {
  for (const asks of leavingOut(run.asks)) yield { ...run, asks };
  if (run.copies > 1) yield { ...run, copies: 1 };
  if (run.concurrency !== undefined) yield without(run, 'concurrency');
  if (run.validMs !== undefined) yield without(run, 'validMs');
  if (run.budget !== undefined) yield without(run, 'budget');
  const { steps } = run.program;
  for (const [index, node] of steps.entries()) {
    for (const simpler of smallerChild(node)) yield withSteps(run, steps.with(index, simpler));
  }
  if (steps.length < 2) return;
  for (const { id } of steps) yield withSteps(run, leftOf(steps, id));
}

const withSteps = (run: RunOrder, steps: PlanNode[]): RunOrder => ({ ...run, program: { ...run.program, steps } });

const without = (run: RunOrder, name: 'validMs' | 'concurrency' | 'budget'): RunOrder => {
  const { [name]: _, ...others } = run;
  return others;
};

/** A step of the run that a step begins in the place of that run, or that run with one step less. */
function* smallerChild(node: PlanNode): Iterable<PlanNode> {
  if (!('run' in node)) return;
  const program = node.run.program as Plan;
  const { steps } = program;
  const [first] = steps;
  const after = node.after === undefined ? {} : { after: node.after };
  if (first !== undefined) yield { ...first, id: node.id, ...after };
  const smaller = (left: PlanNode[]): PlanNode => ({
    ...node,
    run: { ...node.run, program: { ...program, steps: left } as unknown as Json },
  });
  if (steps.length > 1) for (const { id } of steps) yield smaller(leftOf(steps, id));
  for (const [index, inner] of steps.entries()) {
    for (const simpler of smallerChild(inner)) yield smaller(steps.with(index, simpler));
  }
}

/** The other steps; who came after the one that is left out comes after nobody. */
const leftOf = (steps: readonly PlanNode[], id: string): PlanNode[] =>
  steps
    .filter((node) => node.id !== id)
    .map((node) => {
      if (node.after?.includes(id) !== true) return node;
      const { after: _, ...rest } = node;
      return rest;
    });

function* leavingOut<T>(all: readonly T[]): Iterable<readonly T[]> {
  if (all.length > 2) yield all.slice(0, all.length / 2);
  if (all.length > 2) yield all.slice(all.length / 2);
  for (const index of all.keys()) yield all.toSpliced(index, 1);
}
