import { canonicalJson, type Digest } from '../canonical.js';
import type { Json } from '@holdfast/programs';
import { Defect } from '../defect.js';
import type { HistoryEvent } from '../record/record.js';
import type { Tenant } from '../budget/tenant.evolve.js';
import type { Shared } from '../shared/shared.state.js';
import { dueEntriesIn, withEntry, type Table } from '../shared/table.js';
import { newLane, type KnownRequest, type LaneState, type RunEntry } from './lane.state.js';

/**
 * Rises with every change of what the fold gives for the same records, or of how a state is written here: a state that
 * another version has folded is not believed. `test/golden/snapshots` fails where it should have risen.
 */
export const SNAPSHOT_VERSION = 1;

/** A place in a lane's history right after a `LaneAdvanced` that is valid. */
export type LaneAnchor = {
  /** Where the record after it lies. */
  readonly offset: number;
  readonly epoch: number;
  readonly seq: number;
  readonly owner: string;
  /** Hash over all records up to there. */
  readonly chain: string;
};

/** An event whose reactions are not known to be acknowledged. `runId` is null for one of the lane itself. */
export type Unreacted = { readonly seq: number; readonly runId: string | null; readonly event: HistoryEvent };

/** What a lane holds at one moment. The fold may go on meanwhile: what is captured here no longer changes. */
export type LaneCapture = Pick<LaneState, 'positions' | 'reactedSeq' | 'at' | 'counts' | 'shared' | 'endedRuns'> & {
  readonly runs: readonly RunEntry[];
  readonly requests: readonly (readonly [key: string, known: KnownRequest])[];
  readonly recent: readonly (readonly [seq: number, digest: string])[];
  readonly unreacted: readonly Unreacted[];
};

/** Copies what would change, and nothing that is in it: little work, however much a lane holds. */
export const captureLane = (lane: LaneState, unreacted: readonly Unreacted[] = []): LaneCapture => ({
  positions: { ...lane.positions },
  reactedSeq: lane.reactedSeq,
  at: lane.at,
  counts: { ...lane.counts },
  shared: lane.shared,
  runs: [...lane.runs.values()],
  requests: [...lane.requests],
  endedRuns: [...lane.endedRuns],
  recent: [...lane.recent],
  unreacted: [...unreacted],
});

/** One line of a snapshot: its kind, and what it says. */
export type SnapshotRow = readonly [kind: string, ...said: unknown[]];

type Head = Pick<LaneCapture, 'positions' | 'reactedSeq' | 'at' | 'counts'>;

/** So many small things share a line. */
const ROW_OF = 500;

/** What was captured as plain lines, each of which JSON can hold; the same state gives the same lines. */
export function* snapshotRows(capture: LaneCapture): Generator<SnapshotRow> {
  const { positions, reactedSeq, at, counts, shared } = capture;
  yield ['head', { positions, reactedSeq, at, counts } satisfies Head];
  for (const entry of capture.runs) yield ['run', entry];
  for (const [key, known] of capture.requests) yield ['request', key, known];
  for (const some of parted(capture.endedRuns)) yield ['ended', some];
  for (const some of parted(capture.recent)) yield ['recent', some];
  yield* sharedRows(shared);
  for (const known of capture.unreacted) yield ['unreacted', known];
}

function* sharedRows({ cancels, keys, bulkCancels, tenants }: Shared): Generator<SnapshotRow> {
  yield* tableRows('cancel', cancels);
  yield* tableRows('key', keys);
  for (const [requestId, bulk] of Object.entries(bulkCancels)) yield ['bulkCancel', requestId, bulk];
  for (const [name, { runs, over, ...tenant }] of Object.entries(tenants)) {
    yield ['tenant', name, { ...tenant, runs: { ...runs, parts: {} }, over: [] } satisfies Tenant];
    for (const [part, some] of Object.entries(runs.parts)) yield ['tenantRuns', name, part, some];
    for (const some of over) yield ['tenantOver', name, some];
  }
}

/** JSON has no infinity: what is never due is null. */
function* tableRows<T>(kind: string, table: Table<T>): Generator<SnapshotRow> {
  for (const [name, value, due] of dueEntriesIn(table)) yield [kind, name, value, due === Infinity ? null : due];
}

function* parted<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += ROW_OF) yield all.slice(at, at + ROW_OF);
}

/** A lane as it was at an anchor, from where it can be folded on. */
export type RestoredLane = {
  readonly lane: LaneState;
  /** The offset of the next record. */
  readonly next: number;
  readonly unreacted: Unreacted[];
};

/** Nothing but the place; `restoreRow` brings what is held there, line by line. */
export const restoreAt = ({ offset, epoch, seq, owner, chain }: LaneAnchor): RestoredLane => ({
  lane: { ...newLane(), epoch, seq, owner, chain },
  next: offset,
  unreacted: [],
});

/** Takes the next line in. Throws a `Defect` for one that is not known. */
export const restoreRow = (restored: RestoredLane, row: unknown): void => {
  const [kind, ...said] = row as [string, ...never[]];
  const take = Object.hasOwn(takers, kind) ? takers[kind as keyof typeof takers] : undefined;
  if (take === undefined) throw new Defect(`a line of a snapshot is of the kind ${kind}, which nobody knows`);
  (take as (restored: RestoredLane, ...said: unknown[]) => void)(restored, ...said);
};

const takers = {
  head: ({ lane }: RestoredLane, head: Head): void => void Object.assign(lane, head),
  run: ({ lane }: RestoredLane, entry: RunEntry): void => void lane.runs.set(entry.run.runId, entry),
  request: ({ lane }: RestoredLane, key: string, known: KnownRequest): void => void lane.requests.set(key, known),
  ended: ({ lane }: RestoredLane, some: LaneCapture['endedRuns']): void => void lane.endedRuns.push(...some),
  recent: ({ lane }: RestoredLane, some: LaneCapture['recent']): void => {
    for (const [seq, digest] of some) lane.recent.set(seq, digest);
  },
  cancel: tabled('cancels'),
  key: tabled('keys'),
  bulkCancel: ({ lane }: RestoredLane, requestId: string, bulk: Shared['bulkCancels'][string]): void => {
    lane.shared = { ...lane.shared, bulkCancels: { ...lane.shared.bulkCancels, [requestId]: bulk } };
  },
  tenant: ({ lane }: RestoredLane, name: string, tenant: Tenant): void => {
    lane.shared = { ...lane.shared, tenants: { ...lane.shared.tenants, [name]: tenant } };
  },
  tenantRuns: (restored: RestoredLane, name: string, part: string, some: Tenant['runs']['parts'][string]): void =>
    changeTenant(restored, name, ({ runs, ...tenant }) => ({
      ...tenant,
      runs: { ...runs, parts: { ...runs.parts, [part]: some } },
    })),
  tenantOver: (restored: RestoredLane, name: string, some: Tenant['over'][number]): void =>
    changeTenant(restored, name, (tenant) => ({ ...tenant, over: [...tenant.over, some] })),
  unreacted: ({ unreacted }: RestoredLane, known: Unreacted): void => void unreacted.push(known),
} as const;

function tabled(name: 'cancels' | 'keys') {
  return ({ lane }: RestoredLane, key: string, value: never, due: number | null): void => {
    const table: Table<unknown> = lane.shared[name];
    lane.shared = { ...lane.shared, [name]: withEntry(table, key, value, due ?? Infinity) };
  };
}

const changeTenant = ({ lane }: RestoredLane, name: string, change: (tenant: Tenant) => Tenant): void => {
  const { tenants } = lane.shared;
  const known = Object.hasOwn(tenants, name) ? tenants[name] : undefined;
  if (known === undefined) throw new Defect(`a line of a snapshot is about the tenant ${name}, of whom there was none`);
  lane.shared = { ...lane.shared, tenants: { ...tenants, [name]: change(known) } };
};

/** One hash for all that a lane holds: two folds of the same history have the same, in whatever order fields stand. */
export const laneDigest = (lane: LaneState, digest: Digest): string => {
  const { epoch, seq, owner, chain, batch } = lane;
  let all = digest(JSON.stringify([epoch, seq, owner, chain, batch]));
  for (const row of snapshotRows(captureLane(lane))) all = digest(all + canonicalJson(row as unknown as Json));
  return all;
};
