import { isByReference } from '@holdfast/sdk';
import type { Json } from '@holdfast/programs';
import { z } from 'zod';

const byReference = 'must not stand in the file: write { $env: NAME }, and give the value in the environment';

/** A text, or a reference to a secret that stands for the whole of it. */
export const text = z.union([z.string(), z.strictObject({ $env: z.string() })]);

/** A secret, which stands in no file. */
const secret = z
  .union([z.string(), z.record(z.string(), z.json())])
  .refine((value) => isByReference(value as Json), byReference) as z.ZodType<z.infer<typeof text>>;

/** Names of headers, fields and parameters that hold credentials. */
const CREDENTIAL =
  /(?:^|[-_.])(?:auth|authorization|cookie)(?:$|[-_.])|api[-_]?key|access[-_]?key|token$|secret|password|passwd|credential/i;
const isCredential = (name: string): boolean => CREDENTIAL.test(name);

const mayHoldCredential = (value: Json): boolean => typeof value === 'string' && !value.includes('{') && value !== '';

/** Fields with a value each; what is called like a credential must come by reference. */
const fields = z.record(z.string(), z.json()).superRefine((values, context) => {
  for (const [name, value] of Object.entries(values)) {
    const given = value as Json;
    if (isCredential(name) && mayHoldCredential(given)) {
      context.addIssue({ code: 'custom', path: [name], message: `looks like a credential and ${byReference}` });
    }
  }
});

const url = text.refine(
  (value) => typeof value !== 'string' || !hasCredential(value),
  `has a parameter that looks like a credential: name it under query or headers, by { $env: NAME }`,
);
const hasCredential = (address: string): boolean =>
  [...address.matchAll(/[?&]([^=&{}]+)=([^&{}]+)(?=&|$)/g)].some(([, name = '']) => isCredential(name));

export const authSchema = z.union([
  z.strictObject({ bearer: secret }),
  z.strictObject({ basic: z.strictObject({ user: text, password: secret }) }),
  z.strictObject({ header: z.strictObject({ name: z.string(), value: secret }) }),
]);

export const bodySchema = z.union([
  z.strictObject({ json: z.json() }),
  z.strictObject({ form: fields }),
  z.strictObject({ text: z.string(), contentType: z.string().default('text/plain; charset=utf-8') }),
]);

export const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What is sent. */
export const requestFields = {
  url,
  query: fields.optional(),
  headers: fields.optional(),
  body: bodySchema.optional(),
  auth: authSchema.optional(),
};

export type RequestFields = z.infer<z.ZodObject<typeof requestFields>>;
export type Method = (typeof methods)[number];
