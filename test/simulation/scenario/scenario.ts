import type { Concurrency } from '@holdfast/events';
import type { Budget, Plan } from '@holdfast/programs';
import type { Fate } from '@holdfast/log';
import type { ToolName } from '../world/tools.js';

export type Role = 'coordinator' | 'executor' | 'worker' | 'reconciler' | 'gateway';

/** Each kind of fault that strikes by chance. */
export const FAULTS = [
  'kill',
  'kill_machine',
  'freeze',
  'freeze_machine',
  'unseat',
  'swap',
  'lag',
  'away',
  'jump',
] as const;

/** What may become of an append that is not answered. */
export const FATES = ['answer_lost', 'lost', 'twice', 'held'] as const satisfies readonly Exclude<Fate, 'through'>[];

/** What may be wrong with a snapshot that somebody lays into the topic. */
export const SPOILS = ['old', 'cut', 'changed', 'of another version', 'of another place', 'of another lane'] as const;

/** It is laid there after the n-th one that was taken. */
export type Spoil = { readonly how: (typeof SPOILS)[number]; readonly nth: number };

/**
 * What happens to a process when it comes to a gate for the n-th time. With `lose` all claims are gone from the log,
 * against everything that a log promises.
 */
export type Fault = {
  /** For example `worker-1`. */
  readonly process: string;
  /** For example `send step-claims`. */
  readonly gate: string;
  readonly nth: number;
  readonly what: (typeof FAULTS)[number] | 'lose';
  /** How long it is down, frozen, without its seat, behind or cut off; or how far its clock jumps. Ms. */
  readonly ms: number;
};

/** What becomes of the n-th append of a process to a topic. */
export type Loss = {
  readonly process: string;
  readonly topic: string;
  readonly nth: number;
  readonly fate: (typeof FATES)[number];
  /** When a held one arrives, ms. */
  readonly ms: number;
};

/** What is asked of a run, perhaps before it is there. */
export type Ask = {
  readonly what: 'cancel' | 'kill' | 'pause' | 'resume';
  readonly at: number;
  readonly withinMs?: number;
  readonly mode?: 'abort' | 'drain';
};

export type RunOrder = {
  readonly runId: string;
  readonly at: number;
  readonly program: Plan;
  readonly deadlineMs: number;
  readonly asks: readonly Ask[];
  /** The same requests arrive this often. */
  readonly copies: number;
  readonly team: string;
  readonly concurrency?: Concurrency;
  readonly generation?: number;
  readonly budget?: Budget;
  /** How long after its submission it is of use, ms. */
  readonly validMs?: number;
};

/** A cancel of all runs of a team. */
export type Bulk = { readonly at: number; readonly team: string; readonly withinMs: number };

/** All that a simulated history is made of: plain data, so that parts of it can be left out. */
export type Scenario = {
  readonly seed: number;
  readonly lanes: number;
  readonly partitions: number;
  readonly coordinators: number;
  readonly executors: number;
  readonly reconcilers: number;
  readonly concurrency: number;
  /** How often something outside goes wrong, 0 to 1. */
  readonly trouble: number;
  /** How often a person answers by what they saw when the doubt began, 0 to 1. */
  readonly hasty: number;
  /** Tools that executors do not have: a deploy is under way. */
  readonly lacks: Readonly<Record<string, readonly ToolName[]>>;
  /** How long a call may take, ms. */
  readonly timeoutMs: number;
  /** How long a key is remembered outside, ms. */
  readonly keyTtlMs: number;
  /** How often a call takes long, 0 to 1. */
  readonly slowCalls: number;
  /** How often news takes long, 0 to 1. */
  readonly slowOften: number;
  /** Where news is slow, for example `send step-claims`; null: everywhere. */
  readonly slowGate: string | null;
  /** The longest that news may take, ms; most take much less. */
  readonly slowMs: number;
  /** How far wall clocks are off, ms, by process. */
  readonly offMs: Readonly<Record<string, number>>;
  readonly runs: readonly RunOrder[];
  readonly bulks: readonly Bulk[];
  readonly faults: readonly Fault[];
  readonly losses: readonly Loss[];
  /** After how many events a lane is written down whole; 0: never. */
  readonly snapshotEvents: number;
  readonly spoils: readonly Spoil[];
  /** Who makes rows of history. What happens to them touches no run, so that it is told apart. */
  readonly gateways: number;
  readonly gatewayFaults: readonly Fault[];
  /** How often the database does not answer, 0 to 1. */
  readonly databaseAway: number;
  /** When all rows are taken away to be made again, ms. */
  readonly rebuilds: readonly number[];
};

/** Fault-free from here on: whatever is still open must come to its end. Ms. */
export const QUIET_FROM_MS = 20_000;

/** The keys that runs share. */
export const keysOf = ({ runs }: Scenario): readonly string[] => [
  ...new Set(runs.flatMap(({ concurrency }) => (concurrency === undefined ? [] : [concurrency.key]))),
];

/** The run that is submitted for a key when all others are over. */
export const lastOf = (key: string): string => `last-of-${key}`;

/** What clients ask, by the ids of the requests. */
export const requestsOf = ({ runs, bulks, lanes }: Scenario): readonly string[] => [
  ...runs.flatMap(({ runId, asks }) => [`submit ${runId}`, ...asks.map(({ what }) => `${what} ${runId}`)]),
  ...bulks.flatMap(({ team }) => Array.from({ length: lanes }, (_, lane) => bulkId(team, lane))),
];
export const bulkId = (team: string, lane: number): string => `cancel ${team} on ${lane}`;
