import { startPostgres, type PostgresServer } from '@holdfast/dev';
import { columnName } from '../../apps/gateway/src/store/column.js';
import { dataSourceOf } from '../../apps/gateway/src/store/data-source.js';
import { migrate } from '../../apps/gateway/src/store/migrate.js';
import { apiTokens, tables } from '../../apps/gateway/src/store/tables.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const COLUMNS = `SELECT c.table_name, c.column_name, c.data_type, c.is_nullable = 'YES' AS nullable,
    EXISTS (SELECT FROM information_schema.key_column_usage k
      WHERE k.table_name = c.table_name AND k.column_name = c.column_name) AS key
  FROM information_schema.columns c WHERE c.table_schema = 'public' AND c.table_name <> 'migrations'
  ORDER BY c.table_name, c.column_name`;

describe("the gateway's tables", () => {
  it('are, after all migrations, those that the code knows', async () => {
    const source = await dataSourceOf({ url: await server.createDatabase() }).initialize();
    await migrate(source);
    const found = await source.query(COLUMNS);
    await source.destroy();
    const types: Record<string, string> = { int: 'integer' };
    const known = Object.values({ ...tables, apiTokens }).flatMap(({ name, key, columns }) =>
      Object.entries(columns).map(([property, { type, nullable }]) => ({
        table_name: name,
        column_name: columnName(property),
        data_type: types[type] ?? type,
        nullable,
        key: (key as readonly string[]).includes(property),
      })),
    );
    const order = (one: { table_name: string; column_name: string }) => `${one.table_name} ${one.column_name}`;
    const sorted = (all: typeof known) => all.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
    expect(sorted(found)).toEqual(sorted(known));
  });

  it('have an index for the order of each list, so that a page sorts nothing', async () => {
    const source = await dataSourceOf({ url: await server.createDatabase() }).initialize();
    await migrate(source);
    const orders = {
      runs: ['accepted_at', 'run_id'],
      doubts: ['opened_at', 'run_id', 'seq'],
      questions: ['opened_at', 'run_id', 'seq'],
      dead_letters: ['at', 'partition', '"offset"'],
    };
    const plans = await source.transaction(async (manager) => {
      // Empty tables are read whole otherwise, whatever indexes they have.
      await manager.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
      return Promise.all(
        Object.entries(orders).map(async ([table, columns]) => {
          const order = columns.map((column) => `${column} DESC`).join(', ');
          return JSON.stringify(await manager.query(`EXPLAIN SELECT * FROM ${table} ORDER BY ${order} LIMIT 50`));
        }),
      );
    });
    await source.destroy();
    expect(plans.filter((found) => found.includes('Sort'))).toEqual([]);
  });

  it('are made once, whoever of several gateways comes first', async () => {
    const url = await server.createDatabase();
    const sources = await Promise.all([1, 2, 3].map(() => dataSourceOf({ url }).initialize()));
    await Promise.all(sources.map(migrate));
    expect(await sources[0]?.query('SELECT count(*)::int AS n FROM migrations')).toEqual([{ n: 2 }]);
    await Promise.all(sources.map((source) => source.destroy()));
  });
});
