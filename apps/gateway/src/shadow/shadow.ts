import type { Digest } from '@holdfast/events';
import { LogUnavailable, type Log } from '@holdfast/log';
import { LaneReader, type Clock, type Logger, type Timer } from '@holdfast/sdk';
import type { RowsByTable } from '../projection/changes.js';
import type { PgRows } from '../store/pg-rows.js';
import { StoreUnavailable } from '../store/row-store.js';
import type { Difference } from './difference.js';
import { countedTables, LaneShadow } from './lane-shadow.js';

const CHUNK_RECORDS = 500;
/** Between two lanes; shorter for whoever is in a hurry. */
const REST_MS = 1_000;
const REST_RECORDS = 5_000;
const WAIT_MS = 200;

export type ShadowParts = {
  readonly log: Log;
  readonly topic: string;
  readonly digest: Digest;
  readonly rows: PgRows;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: Logger;
  /** Records each second, over all lanes. */
  readonly rate: number;
  readonly retentionMs: number | null;
};

export type ShadowStatus = {
  /** Lanes that were compared whole, how often. */
  readonly passes: number;
  readonly rowsCompared: number;
  readonly lane: number | null;
  readonly offset: number;
  /** The first difference of each lane, as the last pass over it found it. */
  readonly differences: readonly Difference[];
};

/** Compares, all the time and slowly, the rows in the database with those that follow from history. */
export class Shadow {
  private lanes: readonly number[] = [];
  private stopped = false;
  private passes = 0;
  private rowsCompared = 0;
  private current: LaneShadow | null = null;
  private readonly found = new Map<number, Difference>();
  private readonly done: Promise<void>;

  constructor(private readonly parts: ShadowParts) {
    this.done = parts.rate > 0 ? this.run() : Promise.resolve();
  }

  /** Looks at these lanes, one after the other. */
  hold(held: ReadonlySet<number>): void {
    this.lanes = [...held].toSorted((a, b) => a - b);
    for (const lane of this.found.keys()) if (!held.has(lane)) this.found.delete(lane);
  }

  status(): ShadowStatus {
    const differences = [...this.found.values()];
    const { passes, rowsCompared, current } = this;
    return { passes, rowsCompared, lane: current?.lane ?? null, offset: current?.end ?? 0, differences };
  }

  async close(): Promise<void> {
    this.stopped = true;
    await this.done;
  }

  private async run(): Promise<void> {
    for (let turn = 0; !this.stopped; turn += 1) {
      const lane = this.lanes[turn % Math.max(1, this.lanes.length)];
      if (lane !== undefined) await this.pass(lane);
      await this.rest(Math.min(REST_MS, (REST_RECORDS * 1_000) / this.parts.rate));
    }
  }

  private async pass(lane: number): Promise<void> {
    const { retentionMs, clock, logger } = this.parts;
    // A little earlier than the rows are deleted: clocks of two gateways differ.
    const deletedBefore = () => (retentionMs === null ? null : clock.now() - retentionMs + 60_000);
    const shadow = (this.current = new LaneShadow(lane, { deletedBefore }));
    try {
      if (await this.compareLane(shadow)) this.conclude(shadow);
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof LogUnavailable) return;
      const detail = error instanceof Error ? error.message : String(error);
      logger.warn({ lane, detail }, 'a lane could not be compared with its rows');
    } finally {
      this.current = null;
    }
  }

  private conclude(shadow: LaneShadow): void {
    const { lane, found } = shadow;
    this.passes += 1;
    this.tell(lane, found);
  }

  private tell(lane: number, found: Difference | null): void {
    const known = this.found.get(lane);
    if (found === null) this.found.delete(lane);
    else this.found.set(lane, found);
    if (found !== null && (known?.offset !== found.offset || known.key !== found.key))
      this.parts.logger.error(
        { ...found },
        'a row is another one than history makes it: the projections need a rebuild',
      );
  }

  /** Whether the end of the lane was reached. */
  private async compareLane(shadow: LaneShadow): Promise<boolean> {
    const { log, topic, digest } = this.parts;
    const { lane } = shadow;
    const reader = new LaneReader({ topic, lane }, digest);
    for (let taken = 0; ;) {
      const fetched = await log.read(topic, lane, reader.next);
      if (this.isOver(lane) || fetched.outcome !== 'fetched') return false;
      for (const record of fetched.records) {
        shadow.take(reader.take(record), reader.state);
        if ((taken += 1) % CHUNK_RECORDS === 0 && !(await this.afterChunk(shadow))) return false;
      }
      if (fetched.records.length === 0) return this.finish(shadow);
    }
  }

  /** Compares what was folded since the last time, and then rests as long as the rate asks for. */
  private async afterChunk(shadow: LaneShadow): Promise<boolean> {
    if (!(await this.compareChunk(shadow))) return false;
    if (shadow.found !== null) this.tell(shadow.lane, shadow.found);
    await this.rest((CHUNK_RECORDS * 1_000) / this.parts.rate);
    return !this.isOver(shadow.lane);
  }

  private async compareChunk(shadow: LaneShadow): Promise<boolean> {
    const rows = shadow.chunk();
    const snapshot = await this.snapshotAt(shadow, rows, []);
    if (snapshot !== null) shadow.compare(rows, snapshot);
    return snapshot !== null;
  }

  private async finish(shadow: LaneShadow): Promise<boolean> {
    const rows = shadow.chunk();
    // Under retention nothing follows from how many there are.
    const counted = this.parts.retentionMs === null ? countedTables : [];
    const snapshot = await this.snapshotAt(shadow, rows, counted);
    if (snapshot === null) return false;
    shadow.compare(rows, snapshot);
    shadow.finish(snapshot);
    return true;
  }

  /** Rows of a moment at which the database is as far as the shadow; null when it does not come there. */
  private async snapshotAt(shadow: LaneShadow, rows: RowsByTable, counted: typeof countedTables | readonly []) {
    const source = { topic: this.parts.topic, partition: shadow.lane };
    while (!this.isOver(shadow.lane)) {
      const snapshot = await this.parts.rows.snapshot(source, rows, { end: shadow.end, counted });
      if (snapshot.position >= shadow.end) {
        this.rowsCompared += countOf(rows);
        return snapshot;
      }
      await this.rest(WAIT_MS);
    }
    return null;
  }

  private isOver(lane: number): boolean {
    return this.stopped || !this.lanes.includes(lane);
  }

  private async rest(ms: number): Promise<void> {
    for (let left = ms; left > 0 && !this.stopped; left -= WAIT_MS)
      await new Promise<void>((resolve) => this.parts.timer.after(Math.min(left, WAIT_MS), resolve));
  }
}

const countOf = (rows: RowsByTable): number => Object.values(rows).reduce((sum, some) => sum + some.length, 0);
