import { eventually } from '@holdfast/dev';
import type { Log } from '@holdfast/log';
import { readLane } from '@holdfast/sdk';
import { project, takeChanges } from '../../apps/gateway/src/projection/lane.project.js';
import { newLaneView } from '../../apps/gateway/src/projection/lane.view.js';
import { columnName, type Table } from '../../apps/gateway/src/store/column.js';
import type { Database } from '../../apps/gateway/src/store/database.js';
import { MemoryStore } from '../../apps/gateway/src/store/memory-store.js';
import { keyOf } from '../../apps/gateway/src/store/pg-rows.js';
import type { Row } from '../../apps/gateway/src/store/row-store.js';
import { differingColumn } from '../../apps/gateway/src/store/same-row.js';
import { historyTables, type HistoryTable } from '../../apps/gateway/src/store/tables.js';
import { digest } from './digest.js';

/** The rows that follow from the histories as they are in the log now, and up to where each lane goes. */
export const rowsOfLog = async (log: Log, topic: string, lanes: number) => {
  const store = new MemoryStore();
  const ends = new Map<number, number>();
  for (let lane = 0; lane < lanes; lane += 1) {
    const view = newLaneView(lane);
    const reader = await readLane({
      log,
      topic,
      lane,
      digest,
      onRecord: (told, state) => void (told.folded === 'valid' && project(view, told, state)),
    });
    store.writeNow({ source: { topic, partition: lane }, from: 0, to: reader.next, changes: takeChanges(view) });
    ends.set(lane, reader.next);
  }
  return { rows: store.all(), ends };
};

const allOf = (database: Database, { name, columns }: Table): Promise<Row[]> =>
  database.query<Row>(
    `SELECT ${Object.keys(columns)
      .map((column) => `"${columnName(column)}" AS "${column}"`)
      .join(', ')} FROM "${name}"`,
  );

/** What is different between the database and the rows that it should have; empty where nothing is. */
export const differences = async (
  database: Database,
  expected: Readonly<Record<HistoryTable, readonly Row[]>>,
): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const [name, table] of Object.entries(historyTables) as [HistoryTable, Table][]) {
    const rows = new Map((await allOf(database, table)).map((row) => [keyOf(table, row), row]));
    for (const row of expected[name]) {
      const key = keyOf(table, row);
      const actual = rows.get(key);
      const column = actual === undefined ? 'all of it' : differingColumn(table, row, actual);
      if (column !== null)
        found.push(
          `${name} ${key}: ${column} is ${JSON.stringify(actual?.[column])}, not ${JSON.stringify(row[column])}`,
        );
      rows.delete(key);
    }
    for (const key of rows.keys()) found.push(`${name} ${key} should not be there`);
  }
  return found;
};

type Histories = { readonly log: Log; readonly topic: string; readonly lanes: number };

/** Waits until the database is where the log is, and answers what is different then. */
export const differencesOnceSettled = async (
  database: Database,
  { log, topic, lanes }: Histories,
): Promise<readonly string[]> => {
  const { rows, ends } = await rowsOfLog(log, topic, lanes);
  await eventually('all of history is projected', () => isAt(database, topic, ends), 120_000);
  return differences(database, rows);
};

const isAt = async (database: Database, topic: string, ends: ReadonlyMap<number, number>): Promise<boolean> => {
  const text = 'SELECT partition, next_offset AS at FROM projections WHERE source = $1';
  const found = await database.query<{ partition: number; at: number }>(text, [topic]).catch(() => []);
  const positions = new Map(found.map(({ partition, at }) => [partition, at]));
  return [...ends].every(([lane, end]) => (positions.get(lane) ?? 0) >= end);
};
