import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApi } from '../../../apps/gateway/src/http/openapi.js';
import { VERSION } from '../../../apps/gateway/src/http/version.js';
import { asyncApi } from './asyncapi.js';
import { recordSchemas, schemaFile } from './record-schemas.js';

/** Where the documents are checked in. */
export const folder = fileURLToPath(new URL('../../../docs/api/', import.meta.url));

/** Every document that is made of the schemas, by its file below the folder. */
export const documents = (): Readonly<Record<string, unknown>> => ({
  'openapi.json': openApi(VERSION),
  'asyncapi.json': asyncApi(VERSION),
  ...Object.fromEntries(recordSchemas.map((record) => [schemaFile(record), record.schema])),
});

export const read = (file: string): unknown => JSON.parse(readFileSync(`${folder}${file}`, 'utf8'));

export const files = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .toSorted();

/** Writes all of them anew: `npm run docs:api`. */
export const write = (): void => {
  rmSync(folder, { recursive: true, force: true });
  for (const [file, document] of Object.entries(documents())) {
    mkdirSync(dirname(`${folder}${file}`), { recursive: true });
    writeFileSync(`${folder}${file}`, `${JSON.stringify(document, null, 2)}\n`);
  }
};
