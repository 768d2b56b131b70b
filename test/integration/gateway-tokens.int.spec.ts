import { startPostgres, type PostgresServer } from '@holdfast/dev';
import { silentLogger } from '@holdfast/sdk';
import { tokensIn } from '../../apps/gateway/src/http/auth/token-store.js';
import { idOf, makeToken } from '../../apps/gateway/src/http/auth/token-text.js';
import { apiTokens } from '../../apps/gateway/src/http/auth/tokens.js';
import { Database } from '../../apps/gateway/src/store/database.js';
import { rebuildProjections } from '../../apps/gateway/src/store/rebuild.js';

let server: PostgresServer;
let database: Database;
beforeAll(async () => {
  server = await startPostgres();
  database = new Database({ url: await server.createDatabase(), logger: silentLogger });
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

const clock = { now: () => 1_000, monotonic: () => 0 };
const give = async (name: string): Promise<string> => {
  const { id, token, hash } = makeToken();
  const unused = { revokedAt: null, revokedBy: null, lastUsedAt: null };
  const row = { id, name, hash, roles: ['operator'], createdAt: 1, createdBy: 'token:_admin', expiresAt: null };
  await tokensIn(database).add({ ...row, ...unused });
  return token;
};
const whoIs = async (token: string) =>
  apiTokens({ store: tokensIn(database), clock, logger: silentLogger }).principalOf(token);

describe('API tokens in the database', () => {
  it('say who asks, until they are taken back', async () => {
    const token = await give('ci');
    const known = { id: 'token:ci', roles: ['operator'], via: 'token', expiresAt: null };
    expect(await whoIs(token)).toEqual(known);
    const id = idOf(token) ?? '';
    const revoked = await tokensIn(database).revoke(id, 'oidc:ann', 7);
    expect(revoked).toMatchObject({ revokedAt: 7, revokedBy: 'oidc:ann' });
    expect(await tokensIn(database).revoke(id, 'oidc:bob', 8)).toMatchObject({ revokedAt: 7, revokedBy: 'oidc:ann' });
    await expect(whoIs(token)).rejects.toMatchObject({ why: 'unknown' });
    expect(await tokensIn(database).revoke('0'.repeat(16), 'oidc:ann', 7)).toBeNull();
  });

  it('are there after a rebuild, and nowhere in the clear', async () => {
    const token = await give('kept');
    await rebuildProjections(database, 'holdfast.run-events');
    expect(await whoIs(token)).toMatchObject({ id: 'token:kept' });
    const rows = JSON.stringify(
      await database.query('SELECT t.*, encode(t.hash, $1) AS hex FROM api_tokens t', ['escape']),
    );
    expect(rows).toContain('kept');
    expect(rows).not.toContain(token.slice(-43));
  });

  it('are there when all that follows from topics was taken away by hand', async () => {
    const token = await give('alone');
    await database.query('DROP TABLE migrations, projections, events, runs, steps, attempts, doubts, questions');
    await database.query('DROP TABLE budgets, lanes, executors, members, dead_letters, resends');
    await database.look();
    expect(await whoIs(token)).toMatchObject({ id: 'token:alone' });
    expect(await tokensIn(database).list()).toHaveLength(3);
  });

  it('are listed with those that can be used first', async () => {
    const names = (await tokensIn(database).list()).map(({ name, revokedAt }) => [name, revokedAt]);
    expect(names.at(-1)).toEqual(['ci', 7]);
    expect(new Set(names.map(([name]) => name))).toEqual(new Set(['alone', 'ci', 'kept']));
  });
});
