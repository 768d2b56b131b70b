import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { $RefParser } from '@apidevtools/json-schema-ref-parser';
import { UnusableYaml, yamlSource } from '@holdfast/yaml';
import { z } from 'zod';
import { refuse, type Place } from '../place.js';

const loose = z.looseObject({});
const serverSchema = z.looseObject({
  url: z.string(),
  variables: z.record(z.string(), z.looseObject({ default: z.string() })).optional(),
});
const parameterSchema = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: loose.optional(),
  style: z.string().optional(),
  explode: z.boolean().optional(),
});
const methodSchema = z.looseObject({
  operationId: z.string().optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z.array(parameterSchema).optional(),
  requestBody: z
    .looseObject({
      required: z.boolean().optional(),
      content: z.record(z.string(), z.looseObject({ schema: loose.optional() })),
    })
    .optional(),
  servers: z.array(serverSchema).optional(),
});
const pathSchema = z.looseObject({
  parameters: z.array(parameterSchema).optional(),
  servers: z.array(serverSchema).optional(),
  get: methodSchema.optional(),
  head: methodSchema.optional(),
  options: methodSchema.optional(),
  post: methodSchema.optional(),
  put: methodSchema.optional(),
  patch: methodSchema.optional(),
  delete: methodSchema.optional(),
});

/** As much of an OpenAPI document as tools are made of. */
const documentSchema = z.looseObject({
  openapi: z.string().regex(/^3\.[01]\./, 'must be 3.0 or 3.1'),
  servers: z.array(serverSchema).optional(),
  paths: z.record(z.string(), pathSchema).default({}),
  components: z.looseObject({ schemas: z.record(z.string(), loose).optional() }).optional(),
});

export type OpenapiDocument = z.infer<typeof documentSchema>;
export type Parameter = z.infer<typeof parameterSchema>;
export type Server = z.infer<typeof serverSchema>;
export type PathItem = z.infer<typeof pathSchema>;
export type MethodItem = z.infer<typeof methodSchema>;

const BYTES_MAX = 16 * 1024 * 1024;

/** Reads a document in YAML or JSON and follows its references, inside it alone. */
export const readDocument = async (file: string, directory: string, place: Place): Promise<OpenapiDocument> => {
  const value = parse(await textOf(resolve(directory, file), file, place), file, place);
  const whole = await followed(value, place);
  const read = documentSchema.safeParse(whole);
  if (read.success) return read.data;
  return refuse(place, `${file} is no OpenAPI document that can be used: ${z.prettifyError(read.error)}`);
};

const textOf = async (path: string, file: string, place: Place): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse(
      place,
      `${file} cannot be read: ${code === 'ENOENT' ? `there is no such file (looked for ${path})` : message}`,
    );
  }
};

const parse = (text: string, file: string, place: Place): object => {
  try {
    const { value } = yamlSource(text, file, BYTES_MAX);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    if (!(error instanceof UnusableYaml)) throw error;
    return refuse(place, `${file} is not YAML or JSON that can be used:${error.message}`);
  }
  return refuse(place, `${file} holds no OpenAPI document`);
};

/** A schema that holds itself keeps its references; everything else is written out. */
const followed = async (value: object, place: Place): Promise<unknown> => {
  try {
    return await new $RefParser().dereference(value, {
      resolve: { external: false },
      dereference: { circular: 'ignore' },
    });
  } catch (error) {
    return refuse(place, `a reference in the document leads nowhere: ${(error as Error).message}`);
  }
};
