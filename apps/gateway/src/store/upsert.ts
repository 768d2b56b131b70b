import type { Json } from '@holdfast/programs';
import { arrayLiteral } from './array-literal.js';
import { columnName, type Column, type Table } from './column.js';

const identifier = (name: string): string => `"${columnName(name)}"`;

/** One statement that writes many whole rows of a table, whether they are there or not. Parameters: its columns. */
export const upsertOf = ({ name, key, columns }: Table): string => {
  const all = Object.keys(columns);
  const lists = Object.values(columns).map((column, index) => listOf(column, `$${index + 1}`));
  const others = all.filter((column) => !key.includes(column));
  const changes = others.map((column) => `${identifier(column)} = EXCLUDED.${identifier(column)}`);
  return (
    `INSERT INTO "${name}" (${all.map(identifier).join(', ')}) SELECT * FROM ROWS FROM (${lists.join(', ')}) ` +
    `ON CONFLICT (${key.map(identifier).join(', ')}) DO UPDATE SET ${changes.join(', ')}`
  );
};

/** JSON that is always there comes as one array of its own: nothing in it has to be escaped on the way. */
const isJsonArray = ({ type, nullable }: Column): boolean => type === 'json' && !nullable;

const listOf = (column: Column, parameter: string): string =>
  isJsonArray(column) ? `json_array_elements(${parameter}::json)` : `unnest(${parameter}::${column.type}[])`;

/** The parameters for `upsertOf`: one list for each column. */
export const columnLists = ({ columns }: Table, rows: readonly object[]): readonly string[] =>
  Object.entries(columns).map(([name, column]) => {
    const values = rows.map((row) => (row as Readonly<Record<string, unknown>>)[name]);
    return isJsonArray(column) ? JSON.stringify(values as Json) : arrayLiteral(column.type, values);
  });
