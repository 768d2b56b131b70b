import type { Database } from './database.js';

/** Runs at most that go in one transaction: nobody waits long for it. */
const PIECE = 500;
const ofRuns = ['events', 'steps', 'attempts', 'doubts', 'questions', 'runs'];

/**
 * Deletes a piece of the runs that ended before a moment, with all that belongs to them; answers how many went. The log
 * keeps their history, and a rebuild brings them back until they are deleted again.
 */
export const deleteEnded = async (database: Database, before: number): Promise<number> => {
  const source = await database.connected();
  return source.transaction(async (manager) => {
    const found = await manager.query<{ runId: string }[]>(
      `SELECT run_id AS "runId" FROM runs WHERE ended_at < $1 AND status = 'ended'
        ORDER BY ended_at LIMIT ${PIECE} FOR UPDATE SKIP LOCKED`,
      [before],
    );
    if (found.length === 0) return 0;
    const ids = found.map(({ runId }) => runId);
    for (const name of ofRuns) await manager.query(`DELETE FROM ${name} WHERE run_id = ANY($1::text[])`, [ids]);
    return ids.length;
  });
};

/** Records at most that go in one statement. */
const RECORDS = 5_000;

/** Deletes a piece of what lanes have said of themselves before a moment; answers how many records went. */
export const deleteOfLanes = async (database: Database, before: number): Promise<number> => {
  const [{ gone } = { gone: 0 }] = await database.query<{ readonly gone: number }>(
    `WITH old AS (DELETE FROM events WHERE (lane, seq) IN (
        SELECT lane, seq FROM events WHERE run_id IS NULL AND at < $1 LIMIT ${RECORDS}) RETURNING 1)
      SELECT count(*)::int AS gone FROM old`,
    [before],
  );
  return gone;
};

/** Whoever has not said anything for so long is not shown as dead any more. */
const SILENT_MS = 86_400_000;

/** Deletes executors and other members of which nobody has heard for a day. */
export const deleteSilent = async (database: Database, now: number): Promise<void> => {
  for (const name of ['executors', 'members'])
    await database.query(`DELETE FROM ${name} WHERE last_beat_at < $1`, [now - SILENT_MS]);
};
