import type { Readable } from 'node:stream';
import { ToolFailure } from '@holdfast/sdk';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Envelope } from './message.js';

/** A server that takes mail. `secure` speaks TLS from the first byte; else STARTTLS is used where it is offered. */
export type SmtpServer = {
  readonly host: string;
  readonly port: number;
  readonly secure?: boolean | undefined;
  /** Gives up where STARTTLS is not offered. */
  readonly requireTls?: boolean | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
};

export type Sending = {
  readonly envelope: Envelope;
  readonly message: Buffer;
  /** Asked right before the end of the message, which is what makes a server take it. */
  readonly guard: () => void;
  readonly signal: AbortSignal;
};

/** What nodemailer says of a reply of the server. */
type SmtpError = Error & { readonly code?: string; readonly responseCode?: number; readonly response?: string };

const SILENCE_MS_MAX = 60_000;

/** Sends one message over a connection of its own, once. */
export const sendOverSmtp = async (server: SmtpServer, sending: Sending): Promise<void> => {
  const delivery = new Delivery(server, sending);
  const stop = (): void => delivery.close();
  sending.signal.addEventListener('abort', stop, { once: true });
  try {
    await delivery.deliver();
  } finally {
    sending.signal.removeEventListener('abort', stop);
    delivery.close();
  }
};

class Delivery {
  private readonly connection: SMTPConnection;
  /** From here on the server may have taken the message. */
  private ended = false;
  private refusal: Error | null = null;
  private broken: (error: Error) => void = () => undefined;

  constructor(
    private readonly server: SmtpServer,
    private readonly sending: Sending,
  ) {
    const { host, port, secure = false, requireTls = false } = server;
    this.connection = new SMTPConnection({
      host,
      port,
      secure,
      requireTLS: requireTls,
      socketCloseTimeout: 0,
      connectionTimeout: SILENCE_MS_MAX,
      greetingTimeout: SILENCE_MS_MAX,
      socketTimeout: SILENCE_MS_MAX,
    });
  }

  close(): void {
    this.connection.close();
  }

  async deliver(): Promise<void> {
    const breaks = new Promise<never>((_, reject) => (this.broken = reject));
    this.connection.on('error', this.broken);
    this.connection.once('end', () => this.broken(new Error('the connection was closed')));
    try {
      await Promise.race([this.throughAll(), breaks]);
    } catch (error) {
      throw this.meaning(error as SmtpError);
    }
  }

  private async throughAll(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.connection.connect((error) => (error ? reject(error) : resolve()));
    });
    const { user, password = '' } = this.server;
    if (user !== undefined) {
      await new Promise<void>((resolve, reject) => {
        this.connection.login({ user, credentials: { user, pass: password } }, (error) =>
          error ? reject(error) : resolve(),
        );
      });
    }
    await new Promise<void>((resolve, reject) => {
      const { from, to } = this.sending.envelope;
      this.connection.send({ from, to: [...to] }, this.message(), (error) => (error ? reject(error) : resolve()));
    });
  }

  /**
   * The message, as nodemailer takes it where the server is ready for it. The server takes a message when it has its end
   * and not before: a connection that closes earlier has sent nothing.
   */
  private message(): Readable {
    const source = {
      on: () => source,
      removeListener: () => source,
      destroy: () => source,
      pipe: (to: NodeJS.WritableStream) => {
        try {
          this.refuseUnlessAllAreAccepted();
          to.write(this.sending.message);
          this.sending.guard();
          this.ended = true;
          to.end();
        } catch (error) {
          this.refusal = error as Error;
          this.close();
          this.broken(this.refusal);
        }
        return to;
      },
    };
    return source as unknown as Readable;
  }

  /** A message goes to all or to nobody: half of it could be neither told nor found. */
  private refuseUnlessAllAreAccepted(): void {
    const { _envelope: envelope } = this.connection as unknown as {
      _envelope?: { rejected?: unknown; rejectedErrors?: unknown };
    };
    const { rejected, rejectedErrors } = envelope ?? {};
    if (!Array.isArray(rejected) || !Array.isArray(rejectedErrors))
      throw new Error('nodemailer does not say who was refused');
    if (rejected.length === 0) return;
    const [first] = rejectedErrors as SmtpError[];
    throw this.notSent(`${rejected.join(', ')}: ${first?.response ?? 'refused'}`, first);
  }

  private meaning(error: SmtpError): Error {
    if (this.refusal !== null) return this.refusal;
    if (!this.ended || isRefusal(error)) return this.notSent(error.message, error);
    return Object.assign(new Error(`whether the message was taken is not known: ${error.message}`), {
      code: error.code ?? 'smtp',
    });
  }

  private notSent(why: string, error: SmtpError | undefined): ToolFailure {
    const { host, port } = this.server;
    const { code = 'smtp', responseCode = 0 } = error ?? {};
    const retry = responseCode >= 500 || code === 'EAUTH' ? 'never' : 'later';
    const said = responseCode === 0 ? code : `smtp_${responseCode}`;
    return new ToolFailure(`nothing was sent over ${host}:${port}: ${why}`, {
      code: said,
      retry,
      effect: 'none',
      cause: error,
    });
  }
}

/**
 * A server that answers the end of a message with a refusal has not taken it (RFC 5321, 4.2.5). 421 is also what something
 * in between says that has lost the server.
 */
const isRefusal = ({ code, responseCode = 0 }: SmtpError): boolean =>
  code === 'EMESSAGE' && responseCode >= 400 && responseCode !== 421;
