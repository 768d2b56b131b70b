import type { Digest, RestoredLane, RunState } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { Recoveries } from './recoveries.js';
import type { Metrics } from '@holdfast/telemetry';
import { followLanes, type LaneRecord, type LanesFollower, type Logger } from '@holdfast/sdk';

/** What a follower of lanes is told. */
/** Questions are put within seconds; reading history in larger parts leaves the cores to those who are in a hurry. */
const PACE_MS = 25;

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
  readonly metrics?: Metrics | undefined;
  /** What a lane's history may be folded on from; null: from its first record. Never rejects. */
  readonly snapshotOf: (lane: number) => Promise<RestoredLane | null>;
};

/** `grown`: runs whose history has grown since the listener was told. */
type Followed = { seen: boolean; readonly grown: Set<string>; readonly recoveries: Recoveries };

/** The histories of the lanes that are held, each folded from a snapshot or from its first record on. A broken lane stops alone. */
export class LaneHistories {
  private readonly lanes = new Map<number, Followed>();
  private readonly brokenLanes = new Map<number, string>();
  private readonly follower: LanesFollower;

  constructor(private readonly parts: LaneHistoriesParts) {
    const { log, topic, digest, logger } = parts;
    this.follower = followLanes({
      paceMs: PACE_MS,
      log,
      topic,
      digest,
      onRecord: (record, lane) => this.note(record, lane),
      onEnd: (lane) => this.reachedEnd(lane),
      onDefect: (defect, lane) => this.breakOff(lane, defect.message),
      onSnapshotWrong: (reason, lane) => this.followWhole(lane, reason),
      onTrouble: (detail) => logger.warn({ detail }, 'history cannot be read for the moment'),
    });
  }

  /** Follows these lanes and no others. */
  hold(held: ReadonlySet<number>): void {
    for (const lane of this.lanes.keys()) if (!held.has(lane)) this.leave(lane);
    for (const lane of this.brokenLanes.keys()) if (!held.has(lane)) this.brokenLanes.delete(lane);
    for (const lane of held) if (!this.lanes.has(lane) && !this.brokenLanes.has(lane)) this.follow(lane);
  }

  /** Tells of what has grown although the end of its lane was not reached: a busy lane may be long in reaching it. */
  flush(): void {
    for (const lane of this.lanes.keys()) this.tell(lane);
  }

  runOf(lane: number, runId: string): RunState | undefined {
    return this.follower.state(lane)?.runs.get(runId)?.run;
  }

  /** What history says about how far a topic was taken in; 0 before the lane has been read to its end. */
  positionOf(lane: number, topic: string): number {
    return this.lanes.get(lane)?.seen === true ? (this.follower.state(lane)?.positions[topic] ?? 0) : 0;
  }

  *runsOf(lane: number): Iterable<RunState> {
    for (const { run } of this.follower.state(lane)?.runs.values() ?? []) yield run;
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
    await this.follower.close();
  }

  private follow(lane: number): void {
    const followed: Followed = { seen: false, grown: new Set(), recoveries: new Recoveries(this.parts.metrics) };
    this.lanes.set(lane, followed);
    void this.begin(lane, followed);
  }

  private async begin(lane: number, followed: Followed): Promise<void> {
    const from = await this.parts.snapshotOf(lane);
    if (this.lanes.get(lane) === followed) this.follower.follow(lane, from);
  }

  /** What history contradicts is no snapshot of it. */
  private followWhole(lane: number, reason: string): void {
    const known = this.lanes.get(lane);
    if (known === undefined) return;
    this.parts.logger.warn({ lane, reason }, 'a snapshot is ignored: history contradicts what was folded on from it');
    this.lanes.set(lane, { ...known, seen: false });
    this.follower.follow(lane);
  }

  private leave(lane: number): void {
    this.follower.unfollow(lane);
    if (this.lanes.delete(lane)) this.parts.listener.left(lane);
  }

  private note({ folded, record }: LaneRecord, lane: number): void {
    const followed = this.lanes.get(lane);
    if (folded === 'valid') followed?.recoveries.see(record, followed.seen);
    // What a long history says of doubts counts only at its end: most of them were settled long ago.
    if (followed?.seen === true && folded === 'valid' && record.subject !== null) followed.grown.add(record.subject);
  }

  private reachedEnd(lane: number): void {
    const followed = this.lanes.get(lane);
    if (followed === undefined) return;
    if (followed.seen) return this.tell(lane);
    followed.seen = true;
    this.parts.logger.debug({ lane, seq: this.follower.state(lane)?.seq }, 'a lane is read to its end');
    this.parts.listener.seen(lane);
  }

  private tell(lane: number): void {
    const grown = this.lanes.get(lane)?.grown;
    if (grown === undefined || grown.size === 0) return;
    const runs = [...grown];
    grown.clear();
    for (const runId of runs) this.parts.listener.grown(lane, runId);
  }

  private breakOff(lane: number, detail: string): void {
    if (!this.lanes.has(lane)) return;
    this.parts.logger.error({ lane, detail }, 'the history of a lane is broken: its doubts are no longer asked about');
    this.brokenLanes.set(lane, detail);
    this.leave(lane);
  }
}
