import { arrayLiteral } from './array-literal.js';
import { columnName, type Table } from './column.js';

const identifier = (name: string): string => `"${columnName(name)}"`;

/** One statement that writes many whole rows of a table, whether they are there or not. Parameters: its columns. */
export const upsertOf = ({ name, key, columns }: Table): string => {
  const all = Object.keys(columns);
  const arrays = Object.values(columns).map(({ type }, index) => `$${index + 1}::${type}[]`);
  const others = all.filter((column) => !key.includes(column));
  const changes = others.map((column) => `${identifier(column)} = EXCLUDED.${identifier(column)}`);
  return (
    `INSERT INTO "${name}" (${all.map(identifier).join(', ')}) SELECT * FROM unnest(${arrays.join(', ')}) ` +
    `ON CONFLICT (${key.map(identifier).join(', ')}) DO UPDATE SET ${changes.join(', ')}`
  );
};

/** The parameters for `upsertOf`: one array for each column. */
export const columnArrays = ({ columns }: Table, rows: readonly object[]): readonly string[] =>
  Object.entries(columns).map(([name, { type }]) =>
    arrayLiteral(
      type,
      rows.map((row) => (row as Readonly<Record<string, unknown>>)[name]),
    ),
  );
