import type { TopicNames } from '@holdfast/contracts';
import type { Log, SeatPool } from '@holdfast/log';
import { sha256, type Clock, type Logger, type Timer } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import type { Levels, Metrics } from '@holdfast/telemetry';
import { Shadow, type ShadowStatus } from './shadow/shadow.js';
import { LaneProjector, type ProjectorStatus } from './shell/lane-projector.js';
import { SideProjector } from './shell/side-projector.js';
import type { Database } from './store/database.js';
import { PgRows } from './store/pg-rows.js';
import { PgStore } from './store/pg-store.js';
import { rebuildProjections } from './store/rebuild.js';
import { deleteEnded, deleteOfLanes, deleteSilent } from './store/retention.js';

export type ProjectingParts = {
  readonly database: Database;
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: Logger;
  /** Records that the shadow check folds each second; 0 for none. */
  readonly shadowRate: number;
  /** How long the rows of a run are kept after its end; null for ever. */
  readonly retentionMs: number | null;
  readonly metrics?: Metrics;
};

/** Everything that makes rows, joined together. */
export class Projecting {
  readonly pool: SeatPool;
  readonly store: PgStore;
  private readonly lanes: LaneProjector;
  private readonly sides: SideProjector;
  private readonly shadow: Shadow;
  private held: ReadonlySet<number> = new Set();

  constructor(private readonly parts: ProjectingParts) {
    const { database, log, names, clock, timer, logger } = parts;
    this.pool = { topic: names.laneSeats('gateway'), group: names.group('gateway') };
    this.store = new PgStore({
      source: () => database.connected(),
      now: () => clock.now(),
      committing: () => failpoint('gateway.commit.before'),
    });
    const { store } = this;
    this.lanes = new LaneProjector({ log, topic: names.history, digest: sha256, store, timer, logger });
    this.sides = new SideProjector({ log, names, store, timer, logger });
    this.shadow = this.newShadow();
    parts.metrics?.look((levels) => this.tell(levels));
  }

  /** Where the rows are. */
  get database(): Database {
    return this.parts.database;
  }

  /** Makes rows of these lanes and no others. */
  hold(held: ReadonlySet<number>): void {
    this.parts.logger.info({ lanes: [...held] }, `projects ${held.size} lanes`);
    this.held = held;
    this.lanes.hold(held);
    this.sides.hold(held);
    this.shadow.hold(held);
  }

  /** To be called every some ms. */
  tick(): void {
    this.lanes.tick();
  }

  /** To be called every second or so; says nothing while the database is away. */
  async compare(): Promise<void> {
    await this.lanes.compare().catch(() => undefined);
  }

  /**
   * Takes away all rows that follow from histories and lets them be made again, by whoever projects a lane. Rejects with
   * `StoreUnavailable`.
   */
  async rebuild(): Promise<void> {
    this.parts.logger.warn({}, 'the projections are rebuilt: rows come back one after the other');
    await rebuildProjections(this.parts.database, this.parts.names.history);
  }

  /** To be called every minute or so: deletes what need not be kept. One gateway does it, that with the first seat. */
  async retain(): Promise<void> {
    const { database, clock, retentionMs, logger } = this.parts;
    if (!this.held.has(0)) return;
    try {
      await deleteSilent(database, clock.now());
      if (retentionMs === null) return;
      const before = clock.now() - retentionMs;
      const runs = await inPieces(() => deleteEnded(database, before));
      const records = await inPieces(() => deleteOfLanes(database, before));
      if (runs + records > 0) logger.info({ runs, records }, 'what is kept no longer is deleted');
    } catch (error) {
      logger.warn({ err: error }, 'what need not be kept could not be deleted');
    }
  }

  /** `beside`: why rows of what is beside the histories cannot be written for the moment. */
  status(): ProjectorStatus & { readonly beside: ReadonlyMap<string, string>; readonly shadow: ShadowStatus } {
    return { ...this.lanes.status(), beside: this.sides.troubles, shadow: this.shadow.status() };
  }

  /** How far the rows are behind, and whether they are right. */
  tell(levels: Levels): void {
    const { broken, troubles, beside, shadow } = this.status();
    for (const { lane, records, seconds } of this.lanes.lags(this.parts.clock.now())) {
      levels.set('holdfast_projection_lag_records', { lane }, records);
      levels.set('holdfast_projection_lag_seconds', { lane }, seconds);
    }
    levels.set('holdfast_projection_broken_lanes', {}, broken.size);
    levels.set('holdfast_projection_troubles', {}, troubles.size + beside.size);
    levels.set('holdfast_shadow_differences', {}, shadow.differences.length);
    levels.set('holdfast_shadow_passes_total', {}, shadow.passes);
    levels.set('holdfast_shadow_rows_compared_total', {}, shadow.rowsCompared);
  }

  async stop(): Promise<void> {
    await Promise.all([this.lanes.close(), this.sides.close(), this.shadow.close()]);
  }

  private newShadow(): Shadow {
    const { database, log, names, clock, timer, logger, shadowRate: rate, retentionMs } = this.parts;
    const rows = new PgRows(database);
    return new Shadow({ log, topic: names.history, digest: sha256, rows, clock, timer, logger, rate, retentionMs });
  }
}

/** Deletes until nothing is left to delete; answers how much went. */
const inPieces = async (deletePiece: () => Promise<number>): Promise<number> => {
  let deleted = 0;
  for (let some = 1; some > 0; deleted += some) some = await deletePiece();
  return deleted;
};
