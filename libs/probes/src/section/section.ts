import { resolve } from 'node:path';
import type { Json, JsonSchema } from '@holdfast/programs';
import {
  checkSection,
  InvalidTool,
  jsonObject,
  SecretReferenceProblem,
  withReferencedSecrets,
  type Tool,
  type ToolsFromSection,
} from '@holdfast/sdk';
import { z } from 'zod';
import { writeFileAtomically } from '../files/write-file.js';
import { gitCommit } from '../git/git-commit.js';
import { sendMail } from '../mail/send-mail.js';
import { insertRow } from '../postgres/insert-row.js';
import { putObject } from '../s3/put-object.js';
import { refuseWrittenSecrets } from './by-reference.js';

const text = z.string().min(1);
const port = z.int().min(1).max(65_535);
const common = {
  name: text,
  version: z.string(),
  description: z.string().optional(),
  queue: z.string().optional(),
  timeoutMs: z.int().positive().optional(),
  settleMs: z.int().nonnegative().optional(),
};

const kinds = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file'), ...common, root: text }),
  z.strictObject({
    kind: z.literal('git-commit'),
    ...common,
    remote: text,
    branch: text,
    directory: text,
    author: z.strictObject({ name: text, email: text }),
    under: text.optional(),
    env: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({
    kind: z.literal('s3-object'),
    ...common,
    store: z.strictObject({
      endpoint: z.url({ protocol: /^https?$/ }).optional(),
      region: text,
      bucket: text,
      accessKeyId: text,
      secretAccessKey: text,
      sessionToken: text.optional(),
    }),
    prefix: z.string().optional(),
    overwrite: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal('postgres-row'),
    ...common,
    connection: text,
    table: text,
    keyColumn: text,
    input: z.record(z.string(), z.json()),
    columns: z.array(text).min(1),
    returning: z.array(text).min(1).optional(),
  }),
  z.strictObject({
    kind: z.literal('mail'),
    ...common,
    smtp: z.strictObject({
      host: text,
      port,
      secure: z.boolean().optional(),
      requireTls: z.boolean().optional(),
      user: text.optional(),
      password: text.optional(),
    }),
    from: text,
    domain: text.optional(),
    archive: text.optional(),
    mailbox: z
      .strictObject({
        host: text,
        port,
        secure: z.boolean().optional(),
        user: text,
        password: text,
        folder: text.optional(),
      })
      .optional(),
    keyTtlMs: z.int().positive().optional(),
  }),
]);
type Described = z.output<typeof kinds>;

const sectionSchema = z.strictObject({ tools: z.array(kinds).min(1) });

/** The tools of the section `probes` of a tool file. Relative paths begin where the file lies. */
export const toolsFromSection: ToolsFromSection = async (section, { directory }) => {
  refuseWrittenSecrets(section as Json, 'probes');
  const { tools } = checkSection('probes', sectionSchema, withSecrets(section as Json));
  return { tools: tools.map((described, index) => made(described, directory, `probes.tools[${index}]`)) };
};

const withSecrets = (section: Json): Json => {
  try {
    return withReferencedSecrets(section);
  } catch (error) {
    if (!(error instanceof SecretReferenceProblem)) throw error;
    throw new InvalidTool(`probes${error.at === '' ? '' : `.${error.at}`}: ${error.problem}`, { cause: error });
  }
};

const made = (described: Described, directory: string, place: string): Tool => {
  try {
    return toolOf(described, directory) as Tool;
  } catch (error) {
    throw new InvalidTool(`${place}: ${(error as Error).message}`, { cause: error });
  }
};

const toolOf = (settings: Described, directory: string): unknown => {
  if ('root' in settings) return writeFileAtomically({ ...settings, root: resolve(directory, settings.root) });
  if ('remote' in settings) return gitCommit({ ...settings, directory: resolve(directory, settings.directory) });
  if ('store' in settings) return putObject(settings);
  if ('connection' in settings) return insertRow({ ...settings, input: jsonObject(settings.input as JsonSchema) });
  return sendMail(settings);
};
