import type { Database } from './database.js';
import { arrayLiteral } from './array-literal.js';
import { columnName, type Table } from './column.js';
import { keyText, type Row, type Source } from './row-store.js';
import { historyTables, tables, type TableName } from './tables.js';

type Wanted = Readonly<Partial<Record<TableName, readonly Row[]>>>;
type Extent = { readonly end: number; readonly counted: readonly TableName[] };
/** Rows by table and the text of their key, and how far a source was in them at that very moment. */
export type Snapshot = {
  readonly position: number;
  readonly rows: ReadonlyMap<TableName, ReadonlyMap<string, Row>>;
  /** Rows of a lane, by table. */
  readonly counts: ReadonlyMap<TableName, number>;
};

/** A rebuild's TRUNCATE empties a table for older snapshots too: whoever has begun to read keeps it away, or sees all of it. */
const KEEP_REBUILDS_AWAY = `LOCK TABLE ${Object.values(historyTables)
  .map(({ name }) => name)
  .join(', ')} IN ACCESS SHARE MODE`;

/** Reads rows as they are beside the position, all of one moment. */
export class PgRows {
  constructor(private readonly database: Database) {}

  /**
   * The rows with the keys of those that are wanted; and of `counted` tables how many rows the lane has. Nothing of it
   * where the source is not in the rows up to `end`.
   */
  async snapshot(source: Source, wanted: Wanted, { end, counted }: Extent): Promise<Snapshot> {
    const connected = await this.database.connected();
    return connected.transaction('REPEATABLE READ', async (manager) => {
      const ask = (text: string, values: readonly unknown[]) => manager.query<Row[]>(text, [...values]);
      await manager.query(KEEP_REBUILDS_AWAY);
      const [at] = await ask('SELECT next_offset AS n FROM projections WHERE source = $1 AND partition = $2', [
        source.topic,
        source.partition,
      ]);
      const position = Number(at?.['n'] ?? 0);
      if (position < end) return { position, rows: new Map(), counts: new Map() };
      const rows = new Map<TableName, ReadonlyMap<string, Row>>();
      for (const [name, some] of Object.entries(wanted) as [TableName, readonly Row[]][]) {
        if (some.length === 0) continue;
        const table = tables[name];
        const found = await ask(selectOf(table), keyArrays(table, some));
        rows.set(name, new Map(found.map((row) => [keyOf(table, row), row])));
      }
      const counts = new Map<TableName, number>();
      for (const name of counted) {
        const [row] = await ask(`SELECT count(*) AS n FROM ${tables[name].name} WHERE lane = $1`, [source.partition]);
        counts.set(name, Number(row?.['n'] ?? 0));
      }
      return { position, rows, counts };
    });
  }
}

/** The text of a row's key. */
export const keyOf = ({ key }: Table, row: Row): string => keyText(key.map((column) => row[column]));

const selectOf = ({ name, key, columns }: Table): string => {
  const all = Object.keys(columns).map((column) => `t."${columnName(column)}" AS "${column}"`);
  const types = key.map((column, index) => `$${index + 1}::${columns[column]?.type ?? 'text'}[]`);
  const names = key.map((column) => `"${columnName(column)}"`);
  return (
    `SELECT ${all.join(', ')} FROM unnest(${types.join(', ')}) AS k(${names.join(', ')}) ` +
    `JOIN "${name}" t USING (${names.join(', ')})`
  );
};

const keyArrays = ({ key, columns }: Table, rows: readonly Row[]): readonly string[] =>
  key.map((column) =>
    arrayLiteral(
      columns[column]?.type ?? 'text',
      rows.map((row) => row[column]),
    ),
  );
