import type { Logger } from '@holdfast/sdk';
import type { Timer } from '@holdfast/service';
import { Client } from 'pg';
import { ROWS_CHANNEL } from '../../store/pg-store.js';
import { readLanes } from '../../store/read-cluster.js';
import type { Bell } from './bell.js';
import type { Rows } from '../../store/rows.js';

/** Where nothing is heard all the same: the lanes are looked at so often. */
const LOOK_MS = 2_000;

/** Rings the bell for lanes with new rows: as soon as the database says so, and otherwise when they are looked at. */
export class News {
  private client: Client | null = null;
  private readonly seen = new Map<number, number>();
  private cancel: () => void = () => undefined;
  private looking = false;
  private over = false;

  constructor(
    private readonly bell: Bell,
    private readonly db: Rows,
    private readonly ports: { readonly url: string; readonly timer: Timer; readonly logger: Logger },
  ) {}

  start(): void {
    this.cancel = this.ports.timer.every(LOOK_MS, () => void this.look());
    void this.listen();
  }

  async stop(): Promise<void> {
    this.over = true;
    this.cancel();
    await this.client?.end().catch(() => undefined);
  }

  private async look(): Promise<void> {
    if (this.looking || this.over) return;
    this.looking = true;
    try {
      for (const { lane, seq } of await readLanes(this.db)) {
        if (seq !== this.seen.get(lane)) this.bell.ring(lane);
        this.seen.set(lane, seq);
      }
      if (this.client === null) await this.listen();
    } catch (error) {
      this.ports.logger.debug({ err: error }, 'the lanes could not be looked at');
    } finally {
      this.looking = false;
    }
  }

  private async listen(): Promise<void> {
    const client = new Client({ connectionString: this.ports.url, application_name: 'holdfast-gateway-live' });
    const lost = (): void => {
      if (this.client === client) this.client = null;
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => this.heard(payload));
    this.client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${ROWS_CHANNEL}`);
    } catch (error) {
      lost();
      this.ports.logger.debug({ err: error }, 'the database cannot be listened to');
    }
  }

  private heard(payload: string | undefined): void {
    const lane = Number(payload);
    if (Number.isInteger(lane)) this.bell.ring(lane);
  }
}
