import type { Plan, PlanNode } from '@holdfast/programs';
import { forEach, planOf, step } from '../../support/plans.js';
import { Dice } from '../engine/dice.js';
import { toolNames } from '../world/tools.js';
import { QUIET_FROM_MS, type Fault, type Loss, type RunOrder, type Scenario } from './scenario.js';

/** The scenario of a seed. */
export const scenarioOf = (seed: number): Scenario => {
  const dice = new Dice(seed);
  const size = {
    lanes: dice.between('lanes', 1, 2),
    partitions: dice.between('partitions', 1, 2),
    coordinators: dice.between('coordinators', 1, 2),
    executors: dice.between('executors', 1, 2),
    reconcilers: dice.between('reconcilers', 1, 2),
    concurrency: dice.pick('concurrency', [1, 2, 8]),
  };
  const names = namesOf(size);
  const keyTtlMs = dice.pick('keyTtlMs', [13_000, 26_000, 600_000]);
  return {
    seed,
    ...size,
    trouble: dice.pick('trouble', [0, 0.1, 0.3]),
    keyTtlMs,
    slowMs: dice.pick('slowMs', [50, 300, 1_500]),
    offMs: Object.fromEntries(names.map((name) => [name, dice.between(`off ${name}`, -90, 90)])),
    runs: several(dice.between('runs', 1, 3), (index) => runOf(dice, index, keyTtlMs)),
    faults: several(dice.between('faults', 0, 6), (index) => faultOf(dice, names, index)),
    losses: several(dice.between('losses', 0, 4), (index) => lossOf(dice, names, index)),
  };
};

const several = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

type Size = Pick<Scenario, 'coordinators' | 'executors' | 'reconcilers'>;
type Names = [string, ...string[]];

const namesOf = ({ coordinators, executors, reconcilers }: Size): Names => [
  'coordinator-1',
  ...several(coordinators - 1, () => 'coordinator-2'),
  ...several(executors, (index) => `executor-${index + 1}`),
  ...several(executors, (index) => `worker-${index + 1}`),
  ...several(reconcilers, (index) => `reconciler-${index + 1}`),
];

const runOf = (dice: Dice, index: number, keyTtlMs: number): RunOrder => {
  const at = dice.between('run at', 0, 8_000);
  const isCancelled = dice.chance('run cancelled', 0.2);
  return {
    runId: `run-${index}`,
    at,
    program: programOf(dice),
    // A plan whose keys may be forgotten while it runs is refused.
    deadlineMs: Math.min(500_000, keyTtlMs - 500),
    cancelAt: isCancelled ? at + dice.between('run cancel after', 0, 6_000) : null,
    copies: dice.chance('run copied', 0.2) ? 2 : 1,
  };
};

const programOf = (dice: Dice): Plan => {
  const ids = ['a', 'b', 'c', 'd'].slice(0, dice.between('steps', 1, 4));
  const nodes = ids.map((id, index): PlanNode => {
    const after = index > 0 && dice.chance('after', 0.6) ? { after: [ids[index - 1] as string] } : {};
    if (dice.chance('forEach', 0.15)) {
      const items = several(dice.between('items', 1, 3), (item) => item);
      return { ...forEach(id, [...items], step('x', dice.pick('tool', toolNames))), ...after };
    }
    return step(id, dice.pick('tool', toolNames), after);
  });
  return planOf(...nodes);
};

const LONG_MS = 9_000;

const faultOf = (dice: Dice, names: Names, index: number): Fault => {
  const process = dice.pick('fault process', names);
  const role = process.slice(0, process.indexOf('-'));
  const gate = dice.pick('fault gate', GATES[role] ?? ['timer']);
  const what = dice.pick('fault what', whatOf(role, gate));
  const ms = what === 'jump' ? dice.between('fault jump', -90, 90) : dice.between(`fault ms ${index}`, 100, LONG_MS);
  // Most gates are passed often, and what happens first is not more interesting than what happens later.
  const nth = gate === 'timer' ? dice.between('fault timer', 1, 150) : dice.between('fault nth', 1, 14);
  return { process, gate, nth, what, ms };
};

const whatOf = (role: string, gate: string): [Fault['what'], ...Fault['what'][]] => {
  const machine: Fault['what'][] = role === 'executor' ? ['kill_machine', 'freeze_machine'] : [];
  const seats: Fault['what'][] = role === 'worker' ? [] : ['unseat'];
  const lag: Fault['what'][] = gate.startsWith('deliver') || gate.startsWith('read') ? ['lag'] : [];
  return ['kill', 'kill', 'freeze', 'jump', ...machine, ...seats, ...lag];
};

const READS = ['deliver', 'read'] as const;
const gatesOf = (writes: readonly string[], reads: readonly string[], more: readonly string[]): Names => [
  'timer',
  ...writes.flatMap((topic) => [`send ${topic}`, `answer ${topic}`]),
  ...reads.flatMap((topic) => READS.map((stage) => `${stage} ${topic}`)),
  ...more,
];

const GATES: Readonly<Record<string, Names>> = {
  coordinator: gatesOf(
    ['run-events', 'run-events', 'step-commands', 'step-claims', 'run-replies', 'run-aborts'],
    ['run-requests', 'step-journal', 'effect-verdicts', 'step-claims', 'heartbeats', 'run-events'],
    ['seats'],
  ),
  executor: gatesOf(['heartbeats'], [], ['send to worker', 'receive from worker', 'seats']),
  worker: gatesOf(
    ['step-claims', 'step-claims', 'step-journal', 'step-journal'],
    ['step-commands', 'step-claims', 'run-aborts'],
    ['send to parent', 'receive from parent', 'tool', 'tool answer'],
  ),
  reconciler: gatesOf(['effect-verdicts'], ['run-events'], ['seats', 'tool']),
};

const LOSSES: Readonly<Record<string, Names>> = {
  coordinator: ['run-events', 'run-events', 'step-commands', 'step-claims', 'run-replies', 'run-aborts'],
  executor: ['heartbeats'],
  worker: ['step-claims', 'step-claims', 'step-journal', 'step-journal'],
  reconciler: ['effect-verdicts'],
};

const lossOf = (dice: Dice, names: Names, index: number): Loss => {
  const process = dice.pick('loss process', names);
  const role = process.slice(0, process.indexOf('-'));
  return {
    process,
    topic: dice.pick('loss topic', LOSSES[role] ?? ['heartbeats']),
    nth: dice.between('loss nth', 1, 10),
    fate: dice.pick('loss fate', ['answer_lost', 'lost', 'twice', 'held']),
    ms: dice.between(`loss ms ${index}`, 100, QUIET_FROM_MS / 2),
  };
};
