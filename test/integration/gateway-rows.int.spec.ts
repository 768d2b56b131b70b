import { eventually, startPostgres, type PostgresServer } from '@holdfast/dev';
import { silentLogger } from '@holdfast/sdk';
import { dataSourceOf } from '../../apps/gateway/src/store/data-source.js';
import { Database } from '../../apps/gateway/src/store/database.js';
import { PgRows } from '../../apps/gateway/src/store/pg-rows.js';
import { PgStore } from '../../apps/gateway/src/store/pg-store.js';
import type { LaneRow } from '../../apps/gateway/src/store/tables.js';

const source = { topic: 'history', partition: 0 };
const lane: LaneRow = {
  lane: 0,
  offset: 0,
  seq: 0,
  epoch: 1,
  owner: null,
  at: 0,
  writtenAt: 0,
  positions: '{}',
  runsOpen: 0,
  runsTotal: 0,
};

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** A database with the row of a lane. */
const world = async () => {
  const url = await server.createDatabase();
  const database = new Database({ url, logger: silentLogger });
  const store = new PgStore({ source: () => database.connected(), now: () => 0 });
  await store.position(source);
  await store.write({ source, from: 0, to: 1, changes: { accepted: [], rows: { lanes: [lane] } } });
  return { url, database, store };
};

describe('a snapshot of rows', () => {
  it('has rows and position of one moment, also while a rebuild is under way', async () => {
    const { url, database } = await world();
    const rebuilding = await dataSourceOf({ url }).initialize();
    const runner = rebuilding.createQueryRunner();
    await runner.startTransaction();
    await runner.query('UPDATE projections SET next_offset = 0');
    await runner.query('TRUNCATE lanes');
    const asked = new PgRows(database).snapshot(source, { lanes: [lane] }, { end: 0, counted: [] });
    await eventually('it waits', async () => {
      const waiting = await rebuilding.query(`SELECT FROM pg_locks WHERE NOT granted`);
      return waiting.length > 0;
    });
    await runner.commitTransaction();
    await runner.release();
    const { position, rows } = await asked;
    expect({ position, lanes: rows.get('lanes')?.size }).toEqual({ position: 0, lanes: 0 });
    await rebuilding.destroy();
    await database.close();
  });
});

describe('a database that was made anew under a running gateway', () => {
  it('has its tables again as soon as somebody looks', async () => {
    const { database } = await world();
    await database.query('DROP SCHEMA public CASCADE');
    await database.query('CREATE SCHEMA public');
    await database.look();
    expect(database.problem).not.toBeNull();
    await database.look();
    expect(database.problem).toBeNull();
    expect(await database.query('SELECT FROM projections')).toEqual([]);
    await database.close();
  });
});
