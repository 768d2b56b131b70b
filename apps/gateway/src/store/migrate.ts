import type { DataSource } from 'typeorm';

/** Number of the advisory lock under which the tables are changed: one gateway does it, the others wait. */
const LOCK = 7_261_001;

/** Brings the tables up to date. `source` is connected. */
export const migrate = async (source: DataSource): Promise<void> => {
  const holder = source.createQueryRunner();
  try {
    await holder.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await source.runMigrations();
  } finally {
    await holder.query('SELECT pg_advisory_unlock($1)', [LOCK]).catch(() => undefined);
    await holder.release();
  }
};
