import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

const POLL_MS = 50;
/** Nothing was projected for so long: it does not go on by itself. */
const STALLED_MS = 120_000;

export type Pace = { readonly events: number; readonly wallMs: number; readonly perSecond: number };

/** How far the gateways are, by the positions in the database. */
export class Progress {
  private readonly client: Client;

  constructor(
    url: string,
    private readonly topic: string,
  ) {
    this.client = new Client({ connectionString: url });
    this.client.on('error', () => undefined);
  }

  open(): Promise<void> {
    return this.client.connect().then(() => undefined);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /** Measures from the first rows on until all of history is projected. */
  async measure(ends: readonly number[]): Promise<Pace> {
    const wanted = ends.reduce((sum, end) => sum + end, 0);
    let first: { readonly at: number; readonly done: number } | null = null;
    let moved = { at: performance.now(), done: 0 };
    for (;;) {
      const done = await this.done();
      const at = performance.now();
      if (done > 0) first ??= { at, done };
      if (done !== moved.done) moved = { at, done };
      if (first !== null && done >= wanted) return paceOf(wanted - first.done, at - first.at);
      if (at - moved.at > STALLED_MS)
        throw new Error(`nothing was projected for ${STALLED_MS / 1_000} s, at ${done} of ${wanted}`);
      await sleep(POLL_MS);
    }
  }

  async bytes(): Promise<number> {
    const { rows } = await this.client.query<{ n: string }>('SELECT pg_database_size(current_database()) AS n');
    return Number(rows[0]?.n ?? 0);
  }

  private async done(): Promise<number> {
    try {
      const sum = 'SELECT COALESCE(sum(next_offset), 0) AS n FROM projections WHERE source = $1';
      const { rows } = await this.client.query<{ n: string }>(sum, [this.topic]);
      return Number(rows[0]?.n ?? 0);
    } catch (error) {
      // The gateway has not made its tables yet.
      if ((error as { code?: string }).code === '42P01') return 0;
      throw error;
    }
  }
}

const paceOf = (events: number, wallMs: number): Pace => ({
  events,
  wallMs: Math.round(wallMs),
  perSecond: Math.round((events * 1_000) / Math.max(1, wallMs)),
});
