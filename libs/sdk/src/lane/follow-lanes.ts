import { Defect, type Digest, type Folded, type LaneState, type RestoredLane } from '@holdfast/events';
import type { Bounds, Log, Tail, TailBatch, TailHandler } from '@holdfast/log';
import { LaneReader, type LaneRecord } from './lane-reader.js';

export type FollowLanes = {
  readonly log: Log;
  readonly topic: string;
  readonly digest: Digest;
  /** Rest between reads, ms; see `TailOptions`. */
  readonly paceMs?: number;
  /** Told of every record, void and repeated ones too, in order for each lane; `state` already holds it. Must not throw. */
  readonly onRecord: (record: LaneRecord, lane: number, state: LaneState) => void;
  /** The lane's history is not sound, or no longer kept from its start: it is not followed any more. */
  readonly onDefect: (defect: Defect, lane: number) => void;
  /** What was folded on from a snapshot contradicts it: the lane is not followed any more. */
  readonly onSnapshotWrong?: (reason: string, lane: number) => void;
  /** The lane was folded up to the end as known then; at least once per poll. */
  readonly onEnd?: (lane: number, end: number) => void;
  /** A poll failed; the following goes on by itself. */
  readonly onTrouble?: (detail: string) => void;
};

export type LanesFollower = {
  /**
   * Follows a lane from its first record on, or from a snapshot: then what lies before it is not told. Following it again
   * begins anew. What contradicts a snapshot is no defect: `onSnapshotWrong` is told, and the lane is no longer followed.
   */
  follow(lane: number, from?: RestoredLane | null): void;
  unfollow(lane: number): void;
  /** Reads no more of a lane for the moment; `resume` goes on where it was. What was read already is still told. */
  pause(lane: number): void;
  resume(lane: number): void;
  /** The folded state; undefined for a lane that is not followed. Changes with each record. */
  state(lane: number): LaneState | undefined;
  /** Whether everything that was known at the last poll is folded. */
  isCaughtUp(lane: number): boolean;
  close(): Promise<void>;
};

/** Folds lanes as they grow, all with one long poll. */
export const followLanes = (options: FollowLanes): LanesFollower => new Follower(options);

type Followed = { readonly reader: LaneReader; readonly isRestored: boolean; end: number | null };

class Follower implements LanesFollower {
  private readonly lanes = new Map<number, Followed>();
  private readonly tail: Tail;

  constructor(private readonly options: FollowLanes) {
    const handler: TailHandler = {
      batch: (batch) => this.take(batch),
      outOfRange: (_, lane, offset, bounds) => this.fail(lane, new Defect(this.rangeProblem(lane, offset, bounds))),
      trouble: (detail) => options.onTrouble?.(detail),
      defect: (_, lane, detail) => this.fail(lane, new Defect(detail)),
    };
    this.tail = options.log.tail(handler, { paceMs: options.paceMs ?? 0 });
  }

  follow(lane: number, from: RestoredLane | null = null): void {
    const { topic, digest } = this.options;
    const reader = new LaneReader({ topic, lane }, digest, from);
    this.lanes.set(lane, { reader, isRestored: from !== null, end: null });
    this.tail.follow(topic, lane, reader.next);
  }

  unfollow(lane: number): void {
    if (this.lanes.delete(lane)) this.tail.unfollow(this.options.topic, lane);
  }

  pause(lane: number): void {
    if (this.lanes.has(lane)) this.tail.unfollow(this.options.topic, lane);
  }

  resume(lane: number): void {
    const next = this.lanes.get(lane)?.reader.next;
    if (next !== undefined) this.tail.follow(this.options.topic, lane, next);
  }

  state(lane: number): LaneState | undefined {
    return this.lanes.get(lane)?.reader.state;
  }

  isCaughtUp(lane: number): boolean {
    const followed = this.lanes.get(lane);
    return followed !== undefined && followed.end !== null && followed.reader.next >= followed.end;
  }

  close(): Promise<void> {
    this.lanes.clear();
    return this.tail.close();
  }

  private take({ partition: lane, records, end }: TailBatch): void {
    const followed = this.lanes.get(lane);
    if (followed === undefined) return;
    const { reader } = followed;
    try {
      for (const record of records) {
        const taken = reader.take(record);
        this.options.onRecord(taken, lane, reader.state);
        // The callback may have ended or restarted the following.
        if (this.lanes.get(lane) !== followed) return;
      }
    } catch (error) {
      return this.fail(lane, asDefect(error));
    }
    followed.end = Math.max(followed.end ?? 0, end);
    if (reader.next >= end) this.options.onEnd?.(lane, end);
  }

  private fail(lane: number, defect: Defect): void {
    const followed = this.lanes.get(lane);
    if (followed === undefined) return;
    this.unfollow(lane);
    if (followed.isRestored && this.options.onSnapshotWrong !== undefined)
      return this.options.onSnapshotWrong(defect.message, lane);
    this.options.onDefect(defect, lane);
  }

  private rangeProblem(lane: number, offset: number, { start, end }: Bounds): string {
    return (
      `history of lane ${lane} (${this.options.topic}): offset ${offset} is not kept, kept are ${start} to ${end}; ` +
      `a history is folded from its first record`
    );
  }
}

const asDefect = (error: unknown): Defect => {
  if (error instanceof Defect) return error;
  return new Defect(`reading history failed: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
};

export type FollowLane = {
  readonly log: Log;
  readonly topic: string;
  readonly lane: number;
  readonly digest: Digest;
  /** Records before this offset are folded without being told. */
  readonly from?: number;
  readonly onRecord: (record: LaneRecord, folded: Folded, state: LaneState) => void;
  readonly onDefect: (defect: Defect) => void;
  readonly onEnd?: (end: number) => void;
  readonly onTrouble?: (detail: string) => void;
};

/** Folds one lane as it grows. */
export const followLane = (options: FollowLane): { state(): LaneState | undefined; close(): Promise<void> } => {
  const { log, topic, lane, digest, from = 0, onRecord, onDefect, onEnd, onTrouble } = options;
  const follower = followLanes({
    log,
    topic,
    digest,
    onRecord: (record, _, state) => {
      if (record.offset >= from) onRecord(record, record.folded, state);
    },
    onDefect: (defect) => onDefect(defect),
    ...(onEnd === undefined ? {} : { onEnd: (_: number, end: number) => onEnd(end) }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
  });
  follower.follow(lane);
  return { state: () => follower.state(lane), close: () => follower.close() };
};
