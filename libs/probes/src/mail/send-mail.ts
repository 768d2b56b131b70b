import { absent, applied, InvalidTool, unknown, type Tool, type ToolQuestion, type ToolVerdict } from '@holdfast/sdk';
import { z } from 'zod';
import { defineProbe, type Look, type Mark, type ProbeSettings } from '../probe.js';
import { stoppable, whileNotStopped } from '../while-not-stopped.js';
import { countInMailbox, type Mailbox } from './mailbox.js';
import { address, envelopeOf, mailInput, messageOf, type Mail } from './message.js';
import { sendOverSmtp, type SmtpServer } from './smtp.js';

/** What somebody who can look says of a Message-ID: `null` where it cannot be told. */
export type MailLookup = (messageId: string, question: ToolQuestion) => Promise<boolean | null>;

export type SendMail = ProbeSettings & {
  readonly smtp: SmtpServer;
  /** The address that all mail of the tool comes from. */
  readonly from: string;
  /** The part of Message-IDs behind the `@`; default that of `from`. */
  readonly domain?: string | undefined;
  /** A further recipient of every message, whom nobody sees: the mailbox that is asked. */
  readonly archive?: string | undefined;
  /** How it is told whether a message was taken: a mailbox, or a function of yours. */
  readonly mailbox?: Mailbox | undefined;
  readonly lookup?: MailLookup;
  /** The receiving server promises to drop repeats of a Message-ID for so long: makes the tool `keyed`. */
  readonly keyTtlMs?: number | undefined;
};

const output = z.strictObject({ messageId: z.string() });
type Result = z.output<typeof output>;

const DEFAULTS = { timeoutMs: 60_000, settleMs: 300_000 } as const;

/**
 * Sends a message whose Message-ID is made of the step's key. SMTP cannot be asked what became of a message, so a mailbox
 * that gets a copy of each is, or whoever else knows. Settle window 5 min by default: a server has taken a message at once
 * or never, but its copy passes filters and a queue before it lies in the mailbox.
 */
export const sendMail = (settings: SendMail): Tool<Mail, z.input<typeof output>> => {
  checkSettings(settings);
  const { smtp, from, archive, keyTtlMs } = settings;
  return defineProbe(settings, {
    ...DEFAULTS,
    input: mailInput,
    output,
    keyTtlMs,
    act: async (mail, context, mark) => {
      const messageId = messageIdOf(settings, mark);
      const message = await messageOf(mail, from, messageId);
      const envelope = envelopeOf(mail, from, archive);
      await stoppable(context, (guard) => sendOverSmtp(smtp, { envelope, message, guard, signal: context.signal }));
      return { messageId };
    },
    look: lookOf(settings),
  });
};

const checkSettings = ({ name, version, from, mailbox, lookup, keyTtlMs }: SendMail): void => {
  const refuse = (problem: string): never => {
    throw new InvalidTool(`tool ${name}@${version}: ${problem}`);
  };
  if (!address.safeParse(from).success) refuse('from must be one address, such as office@example.org');
  if (mailbox !== undefined && lookup !== undefined) refuse('give a mailbox or a lookup, not both');
  if (mailbox === undefined && lookup === undefined && keyTtlMs === undefined) {
    refuse(
      'SMTP cannot be asked what became of a message: add mailbox (with a copy of each message), lookup, ' +
        'or keyTtlMs if the receiving server drops repeats of a Message-ID',
    );
  }
};

const messageIdOf = ({ from, domain = from.slice(from.lastIndexOf('@') + 1) }: SendMail, { marker }: Mark): string =>
  `<${marker}@${domain}>`;

const lookOf = (settings: SendMail): Look<Mail, Result> | null => {
  const { mailbox, lookup } = settings;
  const ask: MailLookup | undefined =
    mailbox === undefined
      ? lookup
      : async (messageId, question) => (await countInMailbox(mailbox, messageId, question)) > 0;
  if (ask === undefined) return null;
  const where =
    mailbox === undefined ? 'the lookup' : `folder ${mailbox.folder ?? 'INBOX'} of ${mailbox.user} at ${mailbox.host}`;
  return async (_, question, mark) => {
    const messageId = messageIdOf(settings, mark);
    return verdictOf(await whileNotStopped(question.signal, ask(messageId, question)), messageId, where);
  };
};

const verdictOf = (found: boolean | null, messageId: string, where: string): ToolVerdict<Result> => {
  if (found === null) return unknown(`${where} cannot tell about ${messageId}`);
  return found ? applied({ messageId }, `${where} has ${messageId}`) : absent(`${where} has no ${messageId}`);
};
