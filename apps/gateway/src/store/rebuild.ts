import { failpoint } from '@holdfast/service/failpoint';
import type { Database } from './database.js';
import { StoreUnavailable } from './row-store.js';
import { historyTables } from './tables.js';

/**
 * Takes away all rows that follow from the lanes' histories, and says in the same transaction that nothing of them is
 * projected. Whoever projects a lane notices, and begins with its first record. What is beside the histories stays:
 * its topics do not keep it as long.
 */
export const rebuildProjections = async (database: Database, historyTopic: string): Promise<void> => {
  const source = await database.connected();
  const names = Object.values(historyTables).map(({ name }) => name);
  try {
    failpoint('gateway.rebuild.before');
    await source.transaction(async (manager) => {
      // First the positions: whoever writes a chunk has done so as well, so that nobody waits for each other.
      await manager.query('UPDATE projections SET next_offset = 0 WHERE source = $1', [historyTopic]);
      await manager.query(`TRUNCATE ${names.join(', ')}`);
    });
    failpoint('gateway.rebuild.after');
  } catch (error) {
    throw new StoreUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
  }
};
