import { ApiTokenEntity } from '../../store/entities.js';
import { select, type Rows } from '../../store/rows.js';
import type { ApiTokenRow } from '../../store/tables.js';

/** Where API tokens are kept. Rejects with `StoreUnavailable` while that is not possible. */
export type TokenStore = {
  find(id: string): Promise<ApiTokenRow | null>;
  list(): Promise<readonly ApiTokenRow[]>;
  add(row: ApiTokenRow): Promise<void>;
  /** Takes it back, where that is not done yet; the row as it is then, null where there is none. */
  revoke(id: string, by: string, at: number): Promise<ApiTokenRow | null>;
  used(id: string, at: number): Promise<void>;
};

const LISTED_MAX = 1_000;

const INSERT =
  'INSERT INTO api_tokens (id, name, hash, roles, created_at, created_by, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)';
const REVOKE = 'UPDATE api_tokens SET revoked_at = $2, revoked_by = $3 WHERE id = $1 AND revoked_at IS NULL';
const USED = 'UPDATE api_tokens SET last_used_at = $2 WHERE id = $1';

/** Every question goes to the database: whoever takes a token back is heard by all gateways at once. */
export const tokensIn = (rows: Rows): TokenStore => {
  const write = async (statement: string, ...values: readonly unknown[]): Promise<void> =>
    void (await (await rows.connected()).query(statement, [...values]));
  const find = async (id: string): Promise<ApiTokenRow | null> =>
    (await select(rows, ApiTokenEntity, 't')).where('t.id = :id', { id }).getOne();
  return {
    find,
    list: async () =>
      (await select(rows, ApiTokenEntity, 't'))
        .orderBy('t.revokedAt', 'DESC', 'NULLS FIRST')
        .addOrderBy('t.createdAt', 'DESC')
        .addOrderBy('t.id', 'ASC')
        .limit(LISTED_MAX)
        .getMany(),
    add: ({ id, name, hash, roles, createdAt, createdBy, expiresAt }) =>
      write(INSERT, id, name, hash, JSON.stringify(roles), createdAt, createdBy, expiresAt),
    revoke: async (id, by, at) => {
      await write(REVOKE, id, at, by);
      return find(id);
    },
    used: (id, at) => write(USED, id, at),
  };
};
