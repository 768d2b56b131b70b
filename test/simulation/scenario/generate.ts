import type { Plan, PlanAsk, PlanNode } from '@holdfast/programs';
import { forEach, planOf, step } from '../../support/plans.js';
import { Dice } from '../engine/dice.js';
import { toolNames, type ToolName } from '../world/tools.js';
import { faultOf, lossOf } from './generate-faults.js';
import type { RunOrder, Scenario } from './scenario.js';

type Some<T> = readonly [T, ...T[]];
type Range = readonly [low: number, high: number];

/** What the scenarios of a search are about. What is not said is left to chance. */
export type Focus = {
  readonly coordinators?: Range;
  readonly executors?: Range;
  readonly reconcilers?: Range;
  readonly lanes?: Range;
  readonly partitions?: Range;
  readonly runs?: Range;
  readonly tools?: Some<ToolName>;
  readonly steps?: Range;
  readonly faults?: Range;
  readonly losses?: Range;
  /** `process/gate/what`, with `*` for any. */
  readonly faulty?: Some<string>;
  /** `process/topic/fate`, with `*` for any. */
  readonly lossy?: Some<string>;
  readonly trouble?: Some<number>;
  readonly hasty?: Some<number>;
  readonly slowMs?: Some<number>;
  readonly slowGate?: string;
  readonly slowCalls?: Some<number>;
  readonly slowOften?: Some<number>;
  readonly timeoutMs?: Some<number>;
  readonly concurrency?: Some<number>;
  readonly keyTtlMs?: Some<number>;
  readonly cancelled?: number;
  readonly copied?: number;
  /** How often a step is a question, and a tool needs an approval, 0 to 1. */
  readonly asked?: number;
  readonly approved?: number;
  readonly lacks?: Scenario['lacks'];
};

/** The scenario of a seed. */
export const scenarioOf = (seed: number, focus: Focus = {}): Scenario => {
  const dice = new Dice(seed);
  const within = (label: string, [low, high]: Range): number => dice.between(label, low, high);
  const size = {
    lanes: within('lanes', focus.lanes ?? [1, 2]),
    partitions: within('partitions', focus.partitions ?? [1, 2]),
    coordinators: within('coordinators', focus.coordinators ?? [1, 2]),
    executors: within('executors', focus.executors ?? [1, 2]),
    reconcilers: within('reconcilers', focus.reconcilers ?? [1, 2]),
    concurrency: dice.pick('concurrency', focus.concurrency ?? [1, 2, 8]),
  };
  const names = namesOf(size);
  const keyTtlMs = dice.pick('keyTtlMs', focus.keyTtlMs ?? [13_000, 26_000, 600_000]);
  const faulty = { dice, names, focus };
  return {
    seed,
    ...size,
    trouble: dice.pick('trouble', focus.trouble ?? [0, 0.1, 0.3]),
    hasty: dice.pick('hasty', focus.hasty ?? [0, 0.5]),
    lacks: focus.lacks ?? (dice.chance('lacks', 0.1) ? { 'executor-2': ['verifiable', 'keyed'] } : {}),
    timeoutMs: dice.pick('timeoutMs', focus.timeoutMs ?? [1_500, 4_000]),
    keyTtlMs,
    slowCalls: dice.pick('slowCalls', focus.slowCalls ?? [0, 0.1, 0.4]),
    slowOften: dice.pick('slowOften', focus.slowOften ?? [0.02, 0.1]),
    slowGate: focus.slowGate ?? null,
    slowMs: dice.pick('slowMs', focus.slowMs ?? [50, 300, 1_500]),
    offMs: Object.fromEntries(names.map((name) => [name, dice.between(`off ${name}`, -90, 90)])),
    runs: several(within('runs', focus.runs ?? [1, 3]), (index) => runOf(dice, index, keyTtlMs, focus)),
    faults: several(within('faults', focus.faults ?? [0, 6]), (index) => faultOf(faulty, index)),
    losses: several(within('losses', focus.losses ?? [0, 4]), (index) => lossOf(faulty, index)),
  };
};

const several = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

type Size = Pick<Scenario, 'coordinators' | 'executors' | 'reconcilers'>;

const namesOf = ({ coordinators, executors, reconcilers }: Size): Some<string> => [
  'coordinator-1',
  ...several(coordinators - 1, () => 'coordinator-2'),
  ...several(executors, (index) => `executor-${index + 1}`),
  ...several(executors, (index) => `worker-${index + 1}`),
  ...several(reconcilers, (index) => `reconciler-${index + 1}`),
];

const runOf = (dice: Dice, index: number, keyTtlMs: number, focus: Focus): RunOrder => {
  const at = dice.between('run at', 0, 8_000);
  const isCancelled = dice.chance('run cancelled', focus.cancelled ?? 0.2);
  return {
    runId: `run-${index}`,
    at,
    program: programOf(dice, focus),
    // A plan whose keys may be forgotten while it runs is refused.
    deadlineMs: Math.min(500_000, keyTtlMs - 500),
    cancelAt: isCancelled ? at + dice.between('run cancel after', 0, 6_000) : null,
    copies: dice.chance('run copied', focus.copied ?? 0.2) ? 2 : 1,
  };
};

const programOf = (dice: Dice, focus: Focus): Plan => {
  const { steps = [1, 4], tools = toolNames, asked = 0.1, approved = 0.15 } = focus;
  const ids = ['a', 'b', 'c', 'd'].slice(0, dice.between('steps', steps[0], steps[1]));
  const nodes = ids.map((id, index): PlanNode => {
    const after = index > 0 && dice.chance('after', 0.6) ? { after: [ids[index - 1] as string] } : {};
    if (dice.chance('asked', asked)) return { id, ask: questionOf(dice), ...after };
    if (dice.chance('forEach', 0.15)) {
      const items = several(dice.between('items', 1, 3), (item) => item);
      return { ...forEach(id, [...items], step('x', dice.pick('tool', tools))), ...after };
    }
    return step(id, dice.pick('tool', tools), after);
  });
  if (!dice.chance('approved', approved)) return planOf(...nodes);
  const rule = { tool: dice.pick('approved tool', tools), ...timesOf(dice), onSilence: dice.pick('silent', SILENCE) };
  return { ...planOf(...nodes), approvals: [rule] };
};

const SILENCE = ['end', 'fail'] as const;

const timesOf = (dice: Dice) => ({
  withinMs: dice.between('asked within', 1_000, 6_000),
  ...(dice.chance('reminded', 0.3) ? { remindEveryMs: 1_000 } : {}),
});

const questionOf = (dice: Dice): PlanAsk['ask'] => ({
  question: 'Go on?',
  choices: ['yes', 'no'],
  ...timesOf(dice),
  onSilence: dice.pick('silent', SILENCE),
});
