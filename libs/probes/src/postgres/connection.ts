import { Client } from 'pg';

/** The most recent settings that a server has: those that it does not know are left alone. */
const BOUNDS = `SELECT set_config(name, $1, true) FROM pg_settings
  WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Opens a connection of its own, works with it, and closes it for good: at once when the call is stopped. */
export const withClient = async <T>(
  connectionString: string,
  { signal }: { readonly signal: AbortSignal },
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({ connectionString, application_name: 'holdfast' });
  // What happens to a connection that nobody waits on is told as an event; without a listener it ends the process.
  client.on('error', () => undefined);
  const stop = (): void => void client.end().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    return await work(client);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
};

/**
 * From here on the server itself ends the transaction when its time is over, also where its client stands still in the
 * middle and goes on much later: what it commits then is refused.
 */
export const boundTransaction = async (client: Client, msMax: number): Promise<void> => {
  await client.query(BOUNDS, [String(Math.max(1, Math.floor(msMax)))]);
};
