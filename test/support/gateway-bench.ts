import { topicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import { silentLogger, systemClock, systemTimer } from '@holdfast/sdk';
import { Projecting, type ProjectingParts } from '../../apps/gateway/src/projecting.js';
import { Database } from '../../apps/gateway/src/store/database.js';
import { differencesOnceSettled } from './rows.js';

/** The projecting part of a gateway within the test's own process, over a real log and a real database. */
export class GatewayBench {
  readonly database: Database;
  readonly projecting: Projecting;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly log: Log,
    url: string,
    private readonly place: { readonly namespace: string; readonly lanes: number },
    more: Partial<Pick<ProjectingParts, 'shadowRate' | 'retentionMs' | 'clock'>> = {},
  ) {
    const names = topicNames(place.namespace);
    this.database = new Database({ url, logger: silentLogger });
    this.projecting = new Projecting({
      database: this.database,
      log,
      names,
      clock: systemClock,
      timer: systemTimer,
      logger: silentLogger,
      shadowRate: 0,
      retentionMs: null,
      ...more,
    });
    let turns = 0;
    this.timer = setInterval(() => {
      this.projecting.tick();
      if (++turns % 10 === 0) void this.projecting.compare();
    }, 20);
  }

  holdAll(): void {
    this.projecting.hold(new Set(Array.from({ length: this.place.lanes }, (_, lane) => lane)));
  }

  /** Waits until the database is where the log is, and answers what is different then. */
  settled(): Promise<readonly string[]> {
    const { history: topic } = topicNames(this.place.namespace);
    return differencesOnceSettled(this.database, { log: this.log, topic, lanes: this.place.lanes });
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.projecting.stop();
    await this.database.close();
  }
}
