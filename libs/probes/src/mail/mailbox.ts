import type { ToolQuestion } from '@holdfast/sdk';

/** A mailbox into which the sending server puts a copy of what it takes. */
export type Mailbox = {
  readonly host: string;
  readonly port: number;
  readonly secure?: boolean | undefined;
  readonly user: string;
  readonly password: string;
  /** Its folder; default `INBOX`. */
  readonly folder?: string | undefined;
};

const SILENCE_MS_MAX = 30_000;

/** How many messages with this Message-ID lie in the mailbox. Rejects where it cannot be searched. */
export const countInMailbox = async (
  mailbox: Mailbox,
  messageId: string,
  { signal }: ToolQuestion,
): Promise<number> => {
  // A mail client is much to load for whoever sends no mail.
  const { ImapFlow } = await import('imapflow');
  const { host, port, secure = true, user, password, folder = 'INBOX' } = mailbox;
  const client = new ImapFlow({
    host,
    port,
    secure,
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: SILENCE_MS_MAX,
    greetingTimeout: SILENCE_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
  });
  // Besides rejecting what waits it is told as an event, and an event without a listener ends the process.
  client.on('error', () => undefined);
  const stop = (): void => client.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    await client.mailboxOpen(folder, { readOnly: true });
    const found = await client.search({ header: { 'Message-ID': messageId } }, { uid: true });
    if (found === undefined || found === false) throw new Error(`the mailbox ${folder} cannot be searched`);
    return found.length;
  } finally {
    signal.removeEventListener('abort', stop);
    client.close();
  }
};
