import { anchorOf, type SnapshotTaken } from '@holdfast/contracts';
import { laneDigest, type LaneState, type RestoredLane } from '@holdfast/events';
import { LaneReader, type LaneRecord } from '../lane/lane-reader.js';
import { readToEnd } from '../log/read-to-end.js';
import { restoreSnapshot, snapshotsSeen, snapshotTaken, type SnapshotTopic, type Told } from './snapshot-topic.js';

export type AuditLane = SnapshotTopic & {
  /** `run-events`. */
  readonly history: string;
};

/** A snapshot that is in the topic, held against the fold of the whole history. */
export type AuditedSnapshot = {
  /** Where it is in `run-snapshots`. */
  readonly at: number;
  /** Its place in history; null where it cannot be told. */
  readonly offset: number | null;
  readonly seq: number | null;
  /** Null where it is what the fold gives there; else how it differs, or why it could not be read. */
  readonly problem: string | null;
};
export type AuditedLane = { readonly state: LaneState; readonly next: number; readonly snapshots: AuditedSnapshot[] };

type Candidate = { readonly at: number; readonly taken: SnapshotTaken };

/**
 * Folds a lane from its first record and compares each of its snapshots with the state at its place. Throws a `Defect`
 * where the history is not sound; passes on `LogUnavailable` and `LogDefect`.
 */
export const auditLane = async (options: AuditLane): Promise<AuditedLane> => {
  const { log, history: topic, lane, digest } = options;
  const audited: AuditedSnapshot[] = [];
  const waiting = new Map<number, Candidate[]>();
  for await (const { at, value } of snapshotsSeen(options)) {
    const told = snapshotTaken(value, digest);
    if (!told.ok) audited.push({ at, offset: null, seq: null, problem: told.reason });
    else waiting.set(told.value.offset, [...(waiting.get(told.value.offset) ?? []), { at, taken: told.value }]);
  }
  const reader = new LaneReader({ topic, lane }, digest);
  const states = new Map<number, Seen>();
  await readToEnd(
    log,
    { topic, partition: lane },
    (record) => {
      const read = reader.take(record);
      if (waiting.has(reader.next)) states.set(reader.next, seenAt(reader, read, digest));
    },
    { from: 0 },
  );
  for (const [offset, candidates] of waiting) {
    for (const { at, taken } of candidates) {
      const problem = await problemOf(options, taken, states.get(offset) ?? null);
      audited.push({ at, offset, seq: taken.seq, problem });
    }
  }
  return { state: reader.state, next: reader.next, snapshots: audited.toSorted((a, b) => a.at - b.at) };
};

/** What the fold has at a place. */
type Seen = Pick<LaneState, 'epoch' | 'seq' | 'owner' | 'chain'> & { readonly digest: string; readonly type: string };

const seenAt = ({ state }: LaneReader, { folded, record }: LaneRecord, digest: SnapshotTopic['digest']): Seen => {
  const { epoch, seq, owner, chain } = state;
  const type = folded === 'valid' ? record.event.type : folded;
  return { epoch, seq, owner, chain, digest: laneDigest(state, digest), type };
};

const problemOf = async (options: AuditLane, taken: SnapshotTaken, seen: Seen | null): Promise<string | null> => {
  if (taken.lane !== options.lane) return `it is of lane ${taken.lane}`;
  if (seen === null) return `history ends before ${taken.offset}`;
  if (seen.type !== 'LaneAdvanced') return `it was not taken after a valid LaneAdvanced, but after ${seen.type}`;
  const { epoch, seq, owner, chain } = anchorOf(taken);
  if (epoch !== seen.epoch || seq !== seen.seq || owner !== seen.owner || chain !== seen.chain)
    return `it stands at ${epoch}/${seq}, where the fold has ${seen.epoch}/${seen.seq}, or with another hash or owner`;
  return stateProblem(await restoreSnapshot(options, taken), seen, options);
};

const stateProblem = (told: Told<RestoredLane>, seen: Seen, { digest }: AuditLane): string | null => {
  if (!told.ok) return told.reason;
  return laneDigest(told.value.lane, digest) === seen.digest ? null : 'what it holds is not what the fold has there';
};
