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

/** Codes with which Postgres or the network says that it is not there, or has no place for one more question. */
const AWAY = /^(08|53|57P)|^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT)$/;
const CUT = /^Connection terminated|^timeout exceeded when trying to connect/;

/** Whether a query failed since the database is away, and not since there is something wrong with it. */
export const isAway = (error: unknown): boolean => {
  if (error instanceof StoreUnavailable) return true;
  const { driverError, code, message } = (error ?? {}) as { driverError?: unknown; code?: unknown; message?: unknown };
  if (driverError !== undefined) return isAway(driverError);
  if (typeof code === 'string') return AWAY.test(code);
  return typeof message === 'string' && CUT.test(message);
};
