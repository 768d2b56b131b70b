import { startPostgres, type PostgresServer } from '@holdfast/dev';
import {
  cuttingProxy,
  insertRow,
  keyMarker,
  probeContract,
  type CuttingProxy,
  type ProbeWorld,
} from '@holdfast/probes';
import { runTool, verifyTool, type Tool } from '@holdfast/sdk';
import { Client } from 'pg';
import { z } from 'zod';

const PASSWORD = 'database-password-55';
let server: PostgresServer;
let url: string;
let way: CuttingProxy;
let world: ProbeWorld;

const ask = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text, values)).rows;
  } finally {
    await client.end();
  }
};

const toolOf = (more: Partial<Parameters<typeof insertRow>[0]> = {}): Tool =>
  insertRow({
    name: 'file-finding',
    version: '1',
    connection: throughTheWay(),
    table: 'clinic.findings',
    keyColumn: 'reference',
    input: z.object({ patient: z.string(), details: z.json().optional(), ward: z.string().optional() }),
    columns: ['patient', 'details', 'ward'],
    returning: ['id', 'ward', 'amount'],
    ...more,
  }) as Tool;

/** Over the proxy, and with a password that nobody may hear of. */
const throughTheWay = (more = ''): string => {
  const { username, pathname } = new URL(url);
  return `postgres://${username}:${PASSWORD}@127.0.0.1:${way.port}${pathname}${more}`;
};

beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
  way = await cuttingProxy({ port: server.port, effect: (bytes) => bytes.includes('COMMIT\0') });
  await ask(`CREATE SCHEMA clinic;
    CREATE TABLE clinic.findings (
      id bigserial PRIMARY KEY, reference text NOT NULL UNIQUE, patient text NOT NULL CHECK (patient <> 'nobody'),
      details jsonb, ward text NOT NULL DEFAULT 'north', amount numeric NOT NULL DEFAULT 12.340
    );
    CREATE TABLE clinic.unindexed (reference text, patient text);
    CREATE TABLE clinic.late (reference text UNIQUE, patient text UNIQUE DEFERRABLE INITIALLY DEFERRED)`);
  world = {
    tool: insertRow({
      name: 'file-finding',
      version: '1',
      connection: throughTheWay(),
      table: 'clinic.findings',
      keyColumn: 'reference',
      input: z.object({ patient: z.string() }),
      columns: ['patient'],
      returning: ['id', 'patient'],
    }) as Tool,
    args: (text) => ({ patient: text }),
    effects: async (key) => {
      const rows = await ask<{ count: string }>('SELECT count(*) FROM clinic.findings WHERE reference = $1', [
        keyMarker(key),
      ]);
      return Number(rows[0]?.count);
    },
    fault: (fault) => way.fault(fault),
    secrets: [PASSWORD],
  };
});
afterAll(async () => {
  await way.close();
  await server.stop();
});

describe('a row that is inserted', () => {
  for (const { name, run } of probeContract(() => world)) it(name, run);

  it('is inserted once by attempts of a step at once, and all return it', async () => {
    const args = world.args('both');
    const calls = await Promise.all([0, 0, 1].map((attempt) => runTool(world.tool, args, { key: 'both', attempt })));
    expect(calls[0]).toMatchObject({ outcome: 'succeeded' });
    expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(1);
    expect(await world.effects('both')).toBe(1);
  });

  it('has lists and objects as JSON, defaults where nothing is given, and numbers without loss', async () => {
    const args = { patient: 'p', details: [{ 'quoted "name"': ["it's", null] }] };
    expect(await runTool(toolOf(), args, { key: 'types' })).toMatchObject({
      result: { ward: 'north', amount: '12.340' },
    });
    const [row] = await ask('SELECT details FROM clinic.findings WHERE reference = $1', [keyMarker('types')]);
    expect(row).toEqual({ details: args.details });
  });

  it('fills no column that it is not to fill', async () => {
    const input = z.looseObject({ patient: z.string() });
    await runTool(
      toolOf({ input, columns: ['patient'] }),
      { patient: 'p', amount: 1, id: -1, 'x" --': 1 },
      { key: 'loose' },
    );
    const [row] = await ask<{ id: string; amount: string }>(
      'SELECT id, amount FROM clinic.findings WHERE reference = $1',
      [keyMarker('loose')],
    );
    expect(row?.amount).toBe('12.340');
    expect(Number(row?.id)).toBeGreaterThan(0);
  });

  it('is refused by a constraint for good, also by one that is checked at the end', async () => {
    expect(await runTool(toolOf(), { patient: 'nobody' }, { key: 'check' })).toMatchObject({
      outcome: 'failed',
      retry: 'never',
      failure: { code: '23514' },
    });
    const late = toolOf({ table: 'clinic.late', columns: ['patient'], returning: ['patient'] });
    expect(await runTool(late, { patient: 'twin' }, { key: 'twin-1' })).toMatchObject({ outcome: 'succeeded' });
    expect(await runTool(late, { patient: 'twin' }, { key: 'twin-2' })).toMatchObject({
      outcome: 'failed',
      retry: 'never',
    });
    expect(await verifyTool(late, { patient: 'twin' }, { key: 'twin-2' })).toMatchObject({ verdict: 'absent' });
  });

  it('needs a unique index on its key, and says so', async () => {
    const outcome = await runTool(toolOf({ table: 'clinic.unindexed', columns: ['patient'], returning: ['patient'] }), {
      patient: 'p',
    });
    expect(outcome).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: '42P10' } });
    expect(JSON.stringify(outcome)).toContain('needs a unique index');
  });

  it('is committed by nobody any more when the time of its call is over', async () => {
    const held = await way.fault('held');
    const ms = 700;
    const call = runTool(world.tool, world.args('late'), {
      key: 'late',
      deadline: Date.now() + ms,
      signal: AbortSignal.timeout(ms),
    });
    await held.reached;
    expect(await call).toMatchObject({ outcome: 'unknown' });
    const backends = `SELECT pid FROM pg_stat_activity WHERE application_name = 'holdfast' AND state = 'idle in transaction'`;
    const deadline = Date.now() + 30_000;
    while ((await ask(backends)).length > 0)
      if (Date.now() > deadline) throw new Error('the server ends no transaction');
    await held.end();
    expect(await world.effects('late')).toBe(0);
    expect(await verifyTool(world.tool, world.args('late'), { key: 'late' })).toMatchObject({ verdict: 'absent' });
  });

  it('is absent when its backend was killed before the commit', async () => {
    const held = await way.fault('held');
    const call = runTool(world.tool, world.args('killed'), { key: 'killed' });
    await held.reached;
    await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'`);
    await held.end();
    expect(await call).toMatchObject({ outcome: 'unknown' });
    expect(await verifyTool(world.tool, world.args('killed'), { key: 'killed' })).toMatchObject({ verdict: 'absent' });
  });
});

describe('a database', () => {
  it('that is a replica cannot say that a row is absent', async () => {
    await ask(
      `CREATE SCHEMA replica; CREATE FUNCTION replica.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'`,
    );
    const tool = toolOf({ connection: throughTheWay('?options=-csearch_path%3Dreplica,pg_catalog') });
    const verdict = await verifyTool(tool, { patient: 'p' }, { key: 'nothing' });
    expect(verdict.verdict).toBe('unknown');
    expect(verdict.evidence.summary).toContain('replica');
  });

  it('that does not let one in has had nothing inserted, and tells nothing', async () => {
    const elsewhere = toolOf({ connection: throughTheWay().replace(/\/holdfast_\w+/, '/nowhere') });
    expect(await runTool(elsewhere, { patient: 'p' })).toMatchObject({
      outcome: 'failed',
      retry: 'never',
      failure: { code: '3D000' },
    });
    expect(await verifyTool(elsewhere, { patient: 'p' })).toMatchObject({ verdict: 'unknown' });
  });

  it('is named so that it can be understood', () => {
    expect(() => toolOf({ columns: ['reference'] })).toThrow('reference holds the key of the step');
    expect(() => toolOf({ table: 'a.b.c' })).toThrow('must be written table or schema.table');
  });
});
