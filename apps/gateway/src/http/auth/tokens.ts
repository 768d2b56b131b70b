import { roleSchema, type Role, type TokenView } from '@holdfast/api';
import type { Logger } from '@holdfast/sdk';
import type { Clock } from '@holdfast/service';
import { z } from 'zod';
import { isAway } from '../../store/rows.js';
import type { ApiTokenRow } from '../../store/tables.js';
import { cannotTell, Refused } from './access-problems.js';
import type { WayIn } from './authenticator.js';
import type { Principal } from './principal.js';
import type { TokenStore } from './token-store.js';
import { hashOf, idOf, isSame } from './token-text.js';

export type TokenPorts = { readonly store: TokenStore; readonly clock: Clock; readonly logger: Logger };

/** How often it is written down that a token is in use. */
const USED_EVERY_MS = 60_000;

/** API tokens: each request asks the store, so that one which was taken back is of no more use at once. */
export const apiTokens = ({ store, clock, logger }: TokenPorts): WayIn => ({
  takes: (credential) => idOf(credential) !== null,
  principalOf: async (credential) => {
    const row = await found(store, idOf(credential) ?? '');
    const now = clock.now();
    if (row === null || !isSame(row.hash, hashOf(credential)) || row.revokedAt !== null) throw new Refused('unknown');
    if (row.expiresAt !== null && row.expiresAt <= now) throw new Refused('expired');
    if (row.lastUsedAt === null || row.lastUsedAt + USED_EVERY_MS <= now) {
      store.used(row.id, now).catch((error: unknown) => logger.debug({ err: error }, 'use of a token is not noted'));
    }
    return { id: `token:${row.name}`, roles: rolesOf(row), via: 'token', expiresAt: row.expiresAt };
  },
});

const found = async (store: TokenStore, id: string): Promise<ApiTokenRow | null> => {
  try {
    return await store.find(id);
  } catch (error) {
    throw isAway(error) ? cannotTell('the database does not answer.') : error;
  }
};

const rolesOf = ({ roles }: ApiTokenRow): Role[] => z.array(roleSchema).parse(roles);

/** A token as it may be shown. */
export const tokenView = (row: ApiTokenRow): TokenView => {
  const { hash: _hash, roles: _roles, ...shown } = row;
  return { ...shown, roles: rolesOf(row) };
};

/**
 * The token that the configuration names: for whoever makes the first tokens, and for the day on which the database is
 * away. It is no row, and cannot be taken back but by changing the configuration.
 */
export const adminToken = (text: string): WayIn => {
  const hash = hashOf(text);
  const admin: Principal = { id: ADMIN, roles: ['admin'], via: 'token', expiresAt: null };
  const isIt = (credential: string): boolean => isSame(hash, hashOf(credential));
  return { takes: isIt, principalOf: async () => admin };
};

/** Its name in the history. No token in the database can have it: names begin with a letter or a digit. */
export const ADMIN = 'token:_admin';
