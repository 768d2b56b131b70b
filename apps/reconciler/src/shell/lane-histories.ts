import {
  decodeHistory,
  Defect,
  foldRecord,
  newLane,
  type Digest,
  type LaneState,
  type RunState,
} from '@holdfast/events';
import type { Bounds, Log, LogRecord, Tail, TailBatch } from '@holdfast/log';
import type { Logger } from '@holdfast/sdk';

/** What a follower of lanes is told. */
export type LaneListener = {
  /** The lane's history has been read to the end that was known then; called once per lane and holding. */
  seen(lane: number): void;
  /** The history of a run has grown since. */
  grown(lane: number, runId: string): void;
  /** The lane is no longer followed: it is held no more, or it is broken. */
  left(lane: number): void;
};

export type LaneHistoriesParts = {
  readonly log: Log;
  readonly topic: string;
  readonly digest: Digest;
  readonly logger: Logger;
  readonly listener: LaneListener;
};

type Followed = { readonly fold: LaneState; seen: boolean };

/** Folds the histories of the lanes that are held, each from its first record on. A broken lane stops alone. */
export class LaneHistories {
  private readonly lanes = new Map<number, Followed>();
  private readonly brokenLanes = new Map<number, string>();
  private readonly tail: Tail;

  constructor(private readonly parts: LaneHistoriesParts) {
    this.tail = parts.log.tail({
      batch: (batch) => this.read(batch),
      outOfRange: (_, lane, offset, bounds) => this.breakOff(lane, outOfRange(offset, bounds)),
      trouble: (detail) => parts.logger.warn({ detail }, 'history cannot be read for the moment'),
      defect: (_, lane, detail) => this.breakOff(lane, detail),
    });
  }

  /** Follows these lanes and no others. */
  hold(held: ReadonlySet<number>): void {
    for (const lane of this.lanes.keys()) if (!held.has(lane)) this.leave(lane);
    for (const lane of this.brokenLanes.keys()) if (!held.has(lane)) this.brokenLanes.delete(lane);
    for (const lane of held) if (!this.lanes.has(lane) && !this.brokenLanes.has(lane)) this.follow(lane);
  }

  runOf(lane: number, runId: string): RunState | undefined {
    return this.lanes.get(lane)?.fold.runs.get(runId)?.run;
  }

  *runsOf(lane: number): Iterable<RunState> {
    for (const { run } of this.lanes.get(lane)?.fold.runs.values() ?? []) yield run;
  }

  /** Lanes followed, those of them not read to their end yet, and broken ones with the reason. */
  status(): {
    readonly held: readonly number[];
    readonly behind: readonly number[];
    readonly broken: ReadonlyMap<number, string>;
  } {
    const behind = [...this.lanes].filter(([, { seen }]) => !seen).map(([lane]) => lane);
    return { held: [...this.lanes.keys()], behind, broken: this.brokenLanes };
  }

  async close(): Promise<void> {
    this.hold(new Set());
    await this.tail.close();
  }

  private follow(lane: number): void {
    this.lanes.set(lane, { fold: newLane(), seen: false });
    this.tail.follow(this.parts.topic, lane, 0);
  }

  private leave(lane: number): void {
    this.tail.unfollow(this.parts.topic, lane);
    if (this.lanes.delete(lane)) this.parts.listener.left(lane);
  }

  private read({ partition: lane, records, next, end }: TailBatch): void {
    const followed = this.lanes.get(lane);
    if (followed === undefined) return;
    const grown = this.foldAll(lane, followed, records);
    if (grown === null) return;
    const { listener } = this.parts;
    if (followed.seen) for (const runId of grown) listener.grown(lane, runId);
    else if (next >= end) {
      // What a long history says of doubts counts only at its end: most of them were settled long ago.
      followed.seen = true;
      this.parts.logger.info({ lane, seq: followed.fold.seq, runs: followed.fold.runs.size }, 'read a lane to its end');
      listener.seen(lane);
    }
  }

  /** The runs whose history has grown; null when the lane broke. */
  private foldAll(lane: number, { fold }: Followed, records: readonly LogRecord[]): ReadonlySet<string> | null {
    const grown = new Set<string>();
    for (const { offset, value } of records) {
      const decoded = decodeHistory(value);
      if (!decoded.ok) return this.breakOff(lane, `offset ${offset}: ${decoded.problem}`);
      try {
        const folded = foldRecord(fold, decoded.record, this.parts.digest(value ?? ''), this.parts.digest);
        if (folded === 'valid' && decoded.record.subject !== null) grown.add(decoded.record.subject);
      } catch (error) {
        if (error instanceof Defect) return this.breakOff(lane, `offset ${offset}: ${error.message}`);
        throw error;
      }
    }
    return grown;
  }

  private breakOff(lane: number, detail: string): null {
    if (!this.lanes.has(lane)) return null;
    this.parts.logger.error({ lane, detail }, 'the history of a lane is broken: its doubts are no longer asked about');
    this.brokenLanes.set(lane, detail);
    this.leave(lane);
    return null;
  }
}

const outOfRange = (offset: number, { start, end }: Bounds): string =>
  `offset ${offset} is asked for, but the topic holds ${start} to ${end}: history before that is gone`;
