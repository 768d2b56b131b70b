import { Dice, several } from '../engine/dice.js';
import type { ToolName } from '../world/tools.js';
import { faultOf, lossOf } from './generate-faults.js';
import { bulkOf, runOf } from './generate-runs.js';
import { SPOILS, type Scenario } from './scenario.js';

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
  /** How often a run is paused, and killed, 0 to 1. What is not said of these and of the following does not happen. */
  readonly paused?: number;
  readonly killed?: number;
  /** How often a cancel says how, and comes before its run, 0 to 1. */
  readonly bounded?: number;
  readonly early?: number;
  /** How often all runs of a team are cancelled, the runs share keys, and steps begin runs, 0 to 1. */
  readonly bulk?: number;
  readonly keys?: number;
  readonly families?: number;
  /** How often a step is an agent, 0 to 1. */
  readonly agents?: number;
  /** How often a run has small limits, 0 to 1. */
  readonly limited?: number;
  /** How often lanes are written down whole; never where nothing is said. */
  readonly snapshots?: number;
  readonly spoils?: Range;
  readonly spoilt?: Some<Scenario['spoils'][number]['how']>;
  /** None where nothing is said. */
  readonly gateways?: Range;
  readonly gatewayFaults?: Range;
  readonly gatewayFaulty?: Some<string>;
};

/** What happens in the histories that are about nothing in particular. */
const ORDINARY: Focus = {
  paused: 0.12,
  killed: 0.06,
  bounded: 0.5,
  early: 0.15,
  bulk: 0.12,
  keys: 0.2,
  families: 0.2,
  agents: 0.12,
  limited: 0.12,
  gateways: [1, 2],
  snapshots: 0.7,
};

/** The scenario of a seed. */
export const scenarioOf = (seed: number, focus: Focus = ORDINARY): Scenario => {
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
  const hasKeys = dice.chance('keys', focus.keys ?? 0);
  const of = { dice, focus, keyTtlMs, hasKeys, hasChildren: dice.chance('families', focus.families ?? 0) };
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
    runs: several(within('runs', focus.runs ?? (hasKeys ? [2, 5] : [1, 3])), (index) => runOf(of, index)),
    bulks: several(dice.chance('bulk', focus.bulk ?? 0) ? 1 : 0, () => bulkOf(dice)),
    faults: [
      ...several(within('faults', focus.faults ?? [0, 6]), (index) => faultOf(faulty, index)),
      ...snapshotFaultsOf(dice, names, focus),
    ],
    losses: several(within('losses', focus.losses ?? [0, 4]), (index) => lossOf(faulty, index)),
    ...snapshotsOf(dice, focus),
    ...gatewaysOf(dice, focus),
  };
};

/** Chance of its own, for the same reason. */
const snapshotsOf = (dice: Dice, focus: Focus): Pick<Scenario, 'snapshotEvents' | 'spoils'> => {
  if (!dice.chance('snapshots', focus.snapshots ?? 0)) return { snapshotEvents: 0, spoils: [] };
  const spoils = several(dice.between('spoils', ...(focus.spoils ?? [0, 5])), (index) => ({
    how: dice.pick(`spoil how ${index}`, focus.spoilt ?? SPOILS),
    nth: dice.between(`spoil nth ${index}`, 1, 12),
  }));
  return { snapshotEvents: dice.pick('snapshot events', [1, 5, 20]), spoils };
};

/** Coordinators are struck while they write a lane down, or look for where it was. */
const snapshotFaultsOf = (dice: Dice, names: Some<string>, focus: Focus): Scenario['faults'] => {
  const often = dice.chance('snapshot faults', (focus.snapshots ?? 0) / 3) ? 1 : 0;
  const faulty = [
    'coordinator/send run-snapshots/*',
    'coordinator/answer run-snapshots/*',
    'coordinator/read run-snapshots/*',
  ] as const;
  return several(often, (index) => faultOf({ dice, names, prefix: 'snapshot ', focus: { faulty } }, index));
};

/** Chance of its own: what happens to gateways changes nothing of the rest. */
const gatewaysOf = (dice: Dice, focus: Focus): Pick<Scenario, keyof typeof NO_GATEWAYS> => {
  const gateways = dice.between('gateways', ...(focus.gateways ?? [0, 0]));
  if (gateways === 0) return NO_GATEWAYS;
  const faulty = { dice, focus: { faulty: focus.gatewayFaulty ?? (['gateway/*/*'] as const) }, prefix: 'gateway ' };
  const names = several(gateways, (index) => `gateway-${index + 1}`) as Some<string>;
  const count = dice.between('gateway faults', ...(focus.gatewayFaults ?? [0, 4]));
  return {
    gateways,
    gatewayFaults: several(count, (index) => faultOf({ ...faulty, names }, index)),
    databaseAway: dice.pick('database away', [0, 0.05, 0.2]),
    rebuilds: several(dice.chance('rebuild', 0.3) ? 1 : 0, () => dice.between('rebuild at', 1_000, 15_000)),
  };
};
const NO_GATEWAYS = { gateways: 0, gatewayFaults: [], databaseAway: 0, rebuilds: [] } as const;

type Size = Pick<Scenario, 'coordinators' | 'executors' | 'reconcilers'>;

const namesOf = ({ coordinators, executors, reconcilers }: Size): Some<string> => [
  'coordinator-1',
  ...several(coordinators - 1, () => 'coordinator-2'),
  ...several(executors, (index) => `executor-${index + 1}`),
  ...several(executors, (index) => `worker-${index + 1}`),
  ...several(reconcilers, (index) => `reconciler-${index + 1}`),
];
