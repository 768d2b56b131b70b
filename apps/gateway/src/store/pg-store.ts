import type { DataSource, EntityManager } from 'typeorm';
import type { Changes } from '../projection/changes.js';
import { StoreUnavailable, type Chunk, type RowStore, type Source } from './row-store.js';
import { tables, type TableName } from './tables.js';
import { columnLists, upsertOf } from './upsert.js';

/** Told after each transaction that has written rows of a lane's history: the payload is the lane. */
export const ROWS_CHANNEL = 'holdfast_rows';

export type PgStoreParts = {
  /** Connected, or the rejection with which it says that it is not. */
  readonly source: () => Promise<DataSource>;
  readonly now: () => number;
  /** Called within the transaction, before it is committed. */
  readonly committing?: () => void;
};

const statements = new Map(Object.entries(tables).map(([name, table]) => [name as TableName, upsertOf(table)]));
const ofRuns = ['events', 'runs', 'steps', 'attempts', 'doubts', 'questions'];

/** Rows and positions in Postgres. */
export class PgStore implements RowStore {
  constructor(private readonly parts: PgStoreParts) {}

  async position({ topic, partition }: Source): Promise<number> {
    const [row] = await this.guarded(async (source) => {
      const insert = `INSERT INTO projections (source, partition, next_offset, updated_at)
        VALUES ($1, $2, 0, $3) ON CONFLICT DO NOTHING`;
      await source.query(insert, [topic, partition, this.parts.now()]);
      return source.query<{ at: number }[]>(
        'SELECT next_offset AS at FROM projections WHERE source = $1 AND partition = $2',
        [topic, partition],
      );
    });
    return row?.at ?? 0;
  }

  /** All positions of a topic that are known. */
  async positions(topic: string): Promise<ReadonlyMap<number, number>> {
    const rows = await this.guarded((source) =>
      source.query<{ partition: number; at: number }[]>(
        'SELECT partition, next_offset AS at FROM projections WHERE source = $1',
        [topic],
      ),
    );
    return new Map(rows.map(({ partition, at }) => [partition, at]));
  }

  write(chunk: Chunk): Promise<boolean> {
    return this.guarded(async (source) => {
      const runner = source.createQueryRunner();
      try {
        await runner.startTransaction();
        const moved = await this.writeWithin(runner.manager, chunk);
        if (moved) this.parts.committing?.();
        await (moved ? runner.commitTransaction() : runner.rollbackTransaction());
        return moved;
      } catch (error) {
        await runner.rollbackTransaction().catch(() => undefined);
        throw error;
      } finally {
        await runner.release();
      }
    });
  }

  private async writeWithin(manager: EntityManager, chunk: Chunk): Promise<boolean> {
    const { source, from, to, changes } = chunk;
    // What a crash of the database takes with it is made again out of the log, rows and position together.
    await manager.query('SET LOCAL synchronous_commit = off');
    const move = `WITH moved AS (UPDATE projections SET next_offset = $4, updated_at = $5
        WHERE source = $1 AND partition = $2 AND next_offset = $3 RETURNING 1) SELECT count(*)::int AS n FROM moved`;
    const values = [source.topic, source.partition, from, to, this.parts.now()];
    const [moved] = await manager.query<{ n: number }[]>(move, values);
    if (moved?.n !== 1) return false;
    await dropOlderLives(manager, changes);
    for (const [name, rows] of Object.entries(changes.rows)) {
      if (rows.length === 0) continue;
      const table = tables[name as TableName];
      await manager.query(statements.get(name as TableName) ?? '', [...columnLists(table, rows)]);
    }
    if (changes.rows.events !== undefined)
      await manager.query('SELECT pg_notify($1, $2)', [ROWS_CHANNEL, String(source.partition)]);
    return true;
  }

  private async guarded<T>(ask: (source: DataSource) => Promise<T>): Promise<T> {
    try {
      return await ask(await this.parts.source());
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      throw new StoreUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

/** An id that was forgotten may be used again: what the run left that had it before goes. */
const dropOlderLives = async (manager: EntityManager, { accepted }: Changes): Promise<void> => {
  if (accepted.length === 0) return;
  const seqs = new Map(accepted.map(({ runId, seq }) => [runId, seq]));
  const known = await manager.query<{ runId: string; seq: number }[]>(
    'SELECT run_id AS "runId", accepted_seq AS seq FROM runs WHERE run_id = ANY($1::text[])',
    [[...seqs.keys()]],
  );
  const older = known.filter(({ runId, seq }) => seq < (seqs.get(runId) ?? 0)).map(({ runId }) => runId);
  if (older.length === 0) return;
  for (const name of ofRuns) await manager.query(`DELETE FROM ${name} WHERE run_id = ANY($1::text[])`, [older]);
};
