import type { DataSource, EntitySchema, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { StoreUnavailable } from './row-store.js';

/** Where rows are read. Rejects with `StoreUnavailable` while that is not possible. */
export type Rows = { connected(): Promise<DataSource> };

/** A query over one table. */
export const select = async <T extends ObjectLiteral>(
  rows: Rows,
  entity: EntitySchema<T>,
  alias: string,
): Promise<SelectQueryBuilder<T>> => (await rows.connected()).getRepository(entity).createQueryBuilder(alias);

/** Classes of codes with which Postgres says that it is not there, has no place or no time for one more question. */
const ANSWERED = /^(08|53|57)...$|^40P01$/;
const NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/;
const CUT =
  /^Connection terminated|^timeout exceeded when trying to connect|^Client (has encountered a connection error|was closed)/;

/** Whether a query failed since the database is away, and not since there is something wrong with it. */
export const isAway = (error: unknown): boolean => {
  if (error instanceof StoreUnavailable) return true;
  const { driverError, code, message } = (error ?? {}) as { driverError?: unknown; code?: unknown; message?: unknown };
  if (driverError !== undefined) return isAway(driverError);
  if (typeof code === 'string') return ANSWERED.test(code) || NETWORK.test(code);
  return typeof message === 'string' && CUT.test(message);
};
