import type { Json } from '@holdfast/programs';

/** The kinds of columns that there are, with what a row holds under them. Times are epoch ms, as `bigint`. */
export type ColumnTypes = {
  text: string;
  int: number;
  bigint: number;
  boolean: boolean;
  /** Text that is JSON: kept as it is, with the order of its keys. */
  json: Json;
  /** For what is searched; only where it cannot hold `\u0000`. */
  jsonb: Json;
  bytea: Uint8Array;
};

export type Column = { readonly type: keyof ColumnTypes; readonly nullable: boolean };
type Typed<T extends keyof ColumnTypes, N extends boolean> = { readonly type: T; readonly nullable: N };

const column = <T extends keyof ColumnTypes>(type: T): Typed<T, false> => ({ type, nullable: false });
export const text = column('text');
export const int = column('int');
export const bigint = column('bigint');
export const boolean = column('boolean');
export const json = column('json');
export const jsonb = column('jsonb');
export const bytea = column('bytea');
export const nullable = <T extends keyof ColumnTypes>({ type }: Typed<T, false>): Typed<T, true> => ({
  type,
  nullable: true,
});

export type Columns = Readonly<Record<string, Column>>;

/** A table: its columns by the names that rows have, in camelCase; in the database they are in snake_case. */
export type Table<C extends Columns = Columns> = {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: C;
};

export const table = <const C extends Columns>(
  name: string,
  key: readonly (keyof C & string)[],
  columns: C,
): Table<C> => ({ name, key, columns });

/** A whole row of a table. */
export type RowOf<T extends Table> = {
  readonly [K in keyof T['columns']]:
    ColumnTypes[T['columns'][K]['type']] | (T['columns'][K]['nullable'] extends true ? null : never);
};

/** The name of a column in the database. */
export const columnName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
