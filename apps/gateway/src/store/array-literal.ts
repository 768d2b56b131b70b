import type { Json } from '@holdfast/programs';
import { cleanJson, cleanText } from './clean.js';
import type { ColumnTypes } from './column.js';

type Type = keyof ColumnTypes;

/** What a row holds in a column, as the text of an array's element. */
const elementOf: Readonly<Record<Type, (value: never) => string>> = {
  text: (value: string) => quoted(cleanText(value)),
  int: String,
  bigint: String,
  boolean: String,
  json: (value: unknown) => quoted(JSON.stringify(value)),
  jsonb: (value: Json) => quoted(JSON.stringify(cleanJson(value))),
  bytea: (value: Uint8Array) => quoted(String.raw`\x` + Buffer.from(value).toString('hex')),
};

const SPECIAL = /["\\]/;
const ALL_SPECIAL = /["\\]/g;

const quoted = (text: string): string =>
  SPECIAL.test(text) ? `"${text.replaceAll(ALL_SPECIAL, String.raw`\$&`)}"` : `"${text}"`;

/** A column of many rows as one array of the database. Much quicker than one parameter for each value. */
export const arrayLiteral = (type: Type, values: readonly unknown[]): string => {
  const element = elementOf[type] as (value: unknown) => string;
  let text = '{';
  for (const [index, value] of values.entries()) {
    if (index > 0) text += ',';
    text += value === null || value === undefined ? 'NULL' : element(value);
  }
  return `${text}}`;
};
