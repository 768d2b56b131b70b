import { startPostgres, type PostgresOptions } from './postgres.js';

/** A database to work with, wherever it comes from. */
export type OpenedPostgres = {
  readonly url: string;
  /** Whether this process started it; the database of others is left as it is. */
  readonly owned: boolean;
  stop(): Promise<void>;
};

/** The database named by `DATABASE_URL`, or else a Postgres started for this process. */
export const openPostgres = async (options: PostgresOptions = {}): Promise<OpenedPostgres> => {
  const url = (process.env['DATABASE_URL'] ?? '').trim();
  if (url !== '') return { url, owned: false, stop: async () => undefined };
  const server = await startPostgres(options);
  return { url: server.url, owned: true, stop: () => server.stop() };
};
