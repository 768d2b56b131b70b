import type { Digest } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { followLanes, type LaneRecord, type LanesFollower, type Logger, type Timer } from '@holdfast/sdk';
import { Lag } from '@holdfast/telemetry';
import { asked, project } from '../projection/lane.project.js';
import { newLaneView, type LaneView } from '../projection/lane.view.js';
import { Projection } from '../projection/projection.js';
import { StoreUnavailable, type RowStore } from '../store/row-store.js';
import { SourceWriter } from './source-writer.js';

/** A chunk is written when it holds so much, or when somebody ticks. */
const CHUNK = { records: 2_000, bytes: 4 * 1024 * 1024 };
/** Nothing more is read while so many chunks wait for the database. */
const WAITING_MAX = 2;
/** Larger answers of the log cost less, and people do not see so few ms. */
const PACE_MS = 20;
const RETRY_MS = 500;
const AHEAD_SEEN = 5;

export type LaneProjectorParts = {
  readonly log: Log;
  readonly topic: string;
  readonly digest: Digest;
  readonly store: RowStore & { positions(topic: string): Promise<ReadonlyMap<number, number>> };
  readonly timer: Timer;
  readonly logger: Logger;
};

type Projected = { readonly view: LaneView; readonly writer: SourceWriter; readonly lag: Lag; paused: boolean };
/** `position`: up to where there are rows of it, as far as is known. */
type Broken = { readonly reason: string; readonly position: number };

/** Projects the lanes that it is given, each from its first record on. A broken lane stops alone. */
export class LaneProjector {
  private held: ReadonlySet<number> = new Set();
  private readonly lanes = new Map<number, Projected>();
  private readonly broken = new Map<number, Broken>();
  private readonly troubles = new Map<number, string>();
  private readonly ends = new Map<number, number>();
  /** How often in a row a lane's rows were further than its log. */
  private readonly ahead = new Map<number, number>();
  private readonly follower: LanesFollower;

  constructor(private readonly parts: LaneProjectorParts) {
    const { log, topic, digest, logger } = parts;
    this.follower = followLanes({
      log,
      topic,
      digest,
      paceMs: PACE_MS,
      onRecord: (record, lane) => this.take(record, lane),
      onEnd: (lane, end) => void this.ends.set(lane, end),
      onDefect: (defect, lane) => this.breakOff(lane, defect.message),
      onTrouble: (detail) => logger.warn({ detail }, 'history cannot be read for the moment'),
    });
  }

  /** Projects these lanes and no others. */
  hold(held: ReadonlySet<number>): void {
    this.held = held;
    for (const lane of this.lanes.keys()) if (!held.has(lane)) this.leave(lane);
    for (const known of [this.broken, this.troubles, this.ends, this.ahead])
      for (const lane of known.keys()) if (!held.has(lane)) known.delete(lane);
    for (const lane of held) if (!this.lanes.has(lane) && !this.broken.has(lane)) void this.begin(lane);
  }

  /** To be called every so often: what has come meanwhile is written, however little it is. */
  tick(): void {
    for (const [lane, { writer }] of this.lanes) this.write(lane, writer);
  }

  /** To be called now and then: hears of rebuilds, and of what others have written. */
  async compare(): Promise<void> {
    const broken = [...this.broken];
    const before = new Map([...this.lanes].map(([lane, { writer }]) => [lane, writer.projection.projected]));
    const positions = await this.parts.store.positions(this.parts.topic);
    for (const [lane, { writer }] of this.lanes) {
      // What was written since the question was put makes its answer an old one.
      if (writer.projection.projected === before.get(lane)) writer.heard(positions.get(lane) ?? 0);
      this.noteAhead(lane, writer);
    }
    for (const [lane, known] of broken)
      if (this.broken.get(lane) === known && (positions.get(lane) ?? 0) < known.position) this.again(lane);
  }

  status(): ProjectorStatus {
    const lanes = [...this.lanes].map(([lane, { writer }]) => ({
      lane,
      projected: writer.projection.projected,
      end: this.ends.get(lane) ?? null,
    }));
    return {
      held: [...this.held],
      lanes,
      broken: new Map([...this.broken].map(([lane, { reason }]) => [lane, reason])),
      troubles: new Map([...this.troubles, ...this.rowsAhead()]),
    };
  }

  /** How far the rows of each lane are behind its log. */
  *lags(now: number): Iterable<{ readonly lane: number } & ReturnType<Lag['at']>> {
    for (const [lane, { writer, lag }] of this.lanes) yield { lane, ...lag.at(writer.projection.projected, now) };
  }

  async close(): Promise<void> {
    this.hold(new Set());
    await this.follower.close();
  }

  private async begin(lane: number): Promise<void> {
    const source = { topic: this.parts.topic, partition: lane };
    try {
      const position = await this.parts.store.position(source);
      if (this.held.has(lane) && !this.lanes.has(lane)) this.follow(lane, position);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.troubles.set(lane, error.message);
      this.parts.timer.after(RETRY_MS, () => {
        if (this.held.has(lane) && !this.lanes.has(lane)) void this.begin(lane);
      });
    }
  }

  private follow(lane: number, position: number): void {
    const { topic, store, timer, logger } = this.parts;
    const view = newLaneView(lane);
    const projection = new Projection({ topic, partition: lane }, position, asked(view));
    const writer = new SourceWriter(projection, {
      store,
      timer,
      logger,
      anew: (at) => this.beginAnew(lane, at),
      trouble: (detail) => this.note(lane, detail),
    });
    this.lanes.set(lane, { view, writer, lag: new Lag(), paused: false });
    this.broken.delete(lane);
    this.troubles.delete(lane);
    this.follower.follow(lane);
  }

  private beginAnew(lane: number, position: number): void {
    if (!this.held.has(lane)) return;
    this.parts.logger.info({ lane, position }, 'the rows are behind what was projected: a lane is projected anew');
    this.follow(lane, position);
  }

  /** Rows of another log, or of one that has lost records: neither is mended in silence. */
  private *rowsAhead(): Iterable<readonly [number, string]> {
    for (const [lane, seen] of this.ahead)
      if (seen >= AHEAD_SEEN) yield [lane, 'rows go further than the log: rebuild the rows if the log is right'];
  }

  /** Somebody else may be a moment further than this one has read. */
  private noteAhead(lane: number, { projection }: SourceWriter): void {
    const isAhead = this.follower.isCaughtUp(lane) && projection.taken < projection.projected;
    this.ahead.set(lane, isAhead ? (this.ahead.get(lane) ?? 0) + 1 : 0);
  }

  private take(record: LaneRecord, lane: number): void {
    const projected = this.lanes.get(lane);
    const state = this.follower.state(lane);
    if (projected === undefined || state === undefined) return;
    const { writer, view, lag } = projected;
    lag.read(record.offset + 1, this.ends.get(lane) ?? 0, record.at);
    if (record.folded === 'valid') project(view, record, state);
    writer.projection.took(record.offset, record.bytes);
    if (!isFull(writer, 1)) return;
    this.write(lane, writer);
    if (projected.paused || !isFull(writer, WAITING_MAX)) return;
    projected.paused = true;
    this.follower.pause(lane);
  }

  private write(lane: number, writer: SourceWriter): void {
    if (writer.isWriting) return;
    void writer.write().then(() => this.wrote(lane, writer));
  }

  private wrote(lane: number, writer: SourceWriter): void {
    const projected = this.lanes.get(lane);
    if (projected?.writer !== writer) return;
    if (this.broken.has(lane)) return this.leaveBroken(lane, writer);
    if (isFull(writer, 1)) this.write(lane, writer);
    if (!projected.paused) return;
    projected.paused = false;
    this.follower.resume(lane);
  }

  private leave(lane: number): void {
    this.lanes.get(lane)?.writer.stop();
    this.lanes.delete(lane);
    this.follower.unfollow(lane);
  }

  private note(lane: number, detail: string | null): void {
    if (!this.lanes.has(lane)) return;
    if (detail === null) this.troubles.delete(lane);
    else if (!this.troubles.has(lane))
      this.parts.logger.warn({ lane, detail }, 'rows cannot be written for the moment');
    if (detail !== null) this.troubles.set(lane, detail);
  }

  private breakOff(lane: number, reason: string): void {
    this.parts.logger.error({ lane, detail: reason }, 'the history of a lane is broken: rows go no further');
    const writer = this.lanes.get(lane)?.writer;
    this.broken.set(lane, { reason, position: writer?.projection.projected ?? 0 });
    if (writer !== undefined && !writer.isWriting) this.leaveBroken(lane, writer);
  }

  /** Rows of what was read before the defect are written all the same. */
  private leaveBroken(lane: number, writer: SourceWriter): void {
    const { taken, projected } = writer.projection;
    if (taken > projected) return this.write(lane, writer);
    const reason = this.broken.get(lane)?.reason ?? '';
    this.broken.set(lane, { reason, position: projected });
    this.leave(lane);
  }

  /** A rebuild has taken the rows of a broken lane: those before the defect are made again. */
  private again(lane: number): void {
    if (this.lanes.has(lane)) return;
    this.broken.delete(lane);
    void this.begin(lane);
  }
}

/** Whether so many chunks wait to be written. */
const isFull = ({ projection }: SourceWriter, chunks: number): boolean =>
  projection.pending.records >= chunks * CHUNK.records || projection.pending.bytes >= chunks * CHUNK.bytes;

export type ProjectorStatus = {
  readonly held: readonly number[];
  /** `end`: of the log, as it was known when the lane was last read to it. */
  readonly lanes: readonly { readonly lane: number; readonly projected: number; readonly end: number | null }[];
  readonly broken: ReadonlyMap<number, string>;
  /** Why rows of a lane cannot be written for the moment. */
  readonly troubles: ReadonlyMap<number, string>;
};
