import { types as standard, type ClientBase, type CustomTypesConfig } from 'pg';
import { DataSource } from 'typeorm';
import { entities } from './entities.js';
import { Tables1790000000001 } from './migrations/1-tables.js';
import { ApiTokens1790000000002 } from './migrations/2-api-tokens.js';

const INT8 = 20;

/** Whole numbers come as numbers: none of ours is beyond 2^53. JSON comes as text only where a query asks for it. */
const types: CustomTypesConfig = {
  getTypeParser: (oid, format) => ((oid as number) === INT8 ? Number : standard.getTypeParser(oid, format as 'text')),
};

/**
 * Whoever is frozen in the middle of a transaction has its rows locked: no longer than a seat is held without a sign of
 * life, so that the next one can go on.
 */
const IDLE_MS = 5_000;

/**
 * Between the pool and whoever is handed a connection there is a moment in which nobody listens for its end, and an
 * `error` that nobody hears ends the process. Whoever asks next over that connection is told.
 */
const listen = (client: ClientBase): void => void client.on('error', () => undefined);

export type DatabaseOptions = {
  readonly url: string;
  /** Connections at most. */
  readonly connections?: number;
  /** How long a statement may take, ms. */
  readonly statementMs?: number;
};

/** The database, not connected yet. Nobody waits for it longer than a few seconds. */
export const dataSourceOf = ({ url, connections = 10, statementMs = 60_000 }: DatabaseOptions): DataSource =>
  new DataSource({
    type: 'postgres',
    url,
    entities,
    migrations: [Tables1790000000001, ApiTokens1790000000002],
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'all',
    poolSize: connections,
    connectTimeoutMS: 5_000,
    applicationName: 'holdfast-gateway',
    extra: {
      types,
      onConnect: listen,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: IDLE_MS,
    },
  });
