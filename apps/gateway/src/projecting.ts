import type { TopicNames } from '@holdfast/contracts';
import type { Log, SeatPool } from '@holdfast/log';
import { sha256, type Clock, type Logger, type Timer } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import { LaneProjector, type ProjectorStatus } from './shell/lane-projector.js';
import { SideProjector } from './shell/side-projector.js';
import type { Database } from './store/database.js';
import { PgStore } from './store/pg-store.js';

export type ProjectingParts = {
  readonly database: Database;
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: Logger;
};

/** Everything that makes rows, joined together. */
export class Projecting {
  readonly pool: SeatPool;
  readonly store: PgStore;
  private readonly lanes: LaneProjector;
  private readonly sides: SideProjector;

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
  }

  /** Makes rows of these lanes and no others. */
  hold(held: ReadonlySet<number>): void {
    this.parts.logger.info({ lanes: [...held] }, `projects ${held.size} lanes`);
    this.lanes.hold(held);
    this.sides.hold(held);
  }

  /** To be called every some ms. */
  tick(): void {
    this.lanes.tick();
  }

  /** To be called every second or so; says nothing while the database is away. */
  async compare(): Promise<void> {
    await this.lanes.compare().catch(() => undefined);
  }

  status(): ProjectorStatus {
    return this.lanes.status();
  }

  async stop(): Promise<void> {
    await Promise.all([this.lanes.close(), this.sides.close()]);
  }
}
