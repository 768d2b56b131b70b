import { ToolFailure } from '@holdfast/sdk';
import MailComposer from 'nodemailer/lib/mail-composer';
import { z } from 'zod';

const RECIPIENTS_MAX = 50;

/** One bare address. What would be a second header or recipient does not fit. */
export const address = z
  .string()
  .max(254)
  .regex(/^[^\s<>()[\],;:"\\@\p{Cc}]+@[^\s<>()[\],;:"\\@\p{Cc}]+$/u, 'it must be one address, such as ann@example.org');

const recipients = z.array(address).max(RECIPIENTS_MAX);

export const mailInput = z
  .strictObject({
    to: recipients.min(1),
    cc: recipients.default([]),
    bcc: recipients.default([]),
    replyTo: address.optional(),
    subject: z.string().max(998),
    text: z.string(),
    html: z.string().optional(),
  })
  .refine(({ to, cc, bcc }) => to.length + cc.length + bcc.length <= RECIPIENTS_MAX, {
    error: `at most ${RECIPIENTS_MAX} recipients in all`,
  });
export type Mail = z.output<typeof mailInput>;

export type Envelope = { readonly from: string; readonly to: readonly string[] };

/** Who gets it, each once. */
export const envelopeOf = (mail: Mail, from: string, archive: string | undefined): Envelope => ({
  from,
  to: [...new Set([...mail.to, ...mail.cc, ...mail.bcc, ...(archive === undefined ? [] : [archive])])],
});

/** The message as it is sent. It names no files and no addresses to fetch from, whatever its texts hold. */
export const messageOf = async (mail: Mail, from: string, messageId: string): Promise<Buffer> => {
  const { to, cc, replyTo, subject, text, html } = mail;
  try {
    return await new MailComposer({
      from,
      to: [...to],
      cc: [...cc],
      ...(replyTo === undefined ? {} : { replyTo }),
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      messageId,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
  } catch (error) {
    const message = `the message cannot be written: ${(error as Error).message}`;
    throw new ToolFailure(message, { code: 'invalid_message', retry: 'never', effect: 'none', cause: error });
  }
};
