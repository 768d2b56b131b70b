import type { Json } from '@holdfast/programs';
import { cleanJson, cleanText } from './clean.js';
import type { Column, Table } from './column.js';
import type { Row } from './row-store.js';

/** The first column in which a row of the database is another one than is expected; null where there is none. */
export const differingColumn = (table: Table, expected: Row, found: Row): string | null => {
  for (const [name, column] of Object.entries(table.columns))
    if (comparable(column, expected[name]) !== comparable(column, found[name])) return name;
  return null;
};

/** What the database can keep of a value, as text that is the same for the same value. */
const comparable = ({ type }: Column, value: unknown): string => {
  if (value === null || value === undefined) return '';
  switch (type) {
    case 'text':
      return `=${cleanText(value as string)}`;
    case 'json':
      return `=${JSON.stringify(value)}`;
    case 'jsonb':
      return `=${JSON.stringify(sorted(cleanJson(value as Json)))}`;
    case 'bytea':
      return `=${Buffer.from(value as Uint8Array).toString('hex')}`;
    default:
      return `=${String(value as number | boolean)}`;
  }
};

/** `jsonb` keeps no order of keys. */
const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one as Json)]));
};
