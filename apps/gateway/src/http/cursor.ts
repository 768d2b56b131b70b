import { sha256 } from '@holdfast/sdk';
import { z } from 'zod';
import { invalid } from './asked.js';

/** Where a page ends: the values by which its list is ordered, of its last entry. */
export type Position = readonly (string | number)[];

/** What a list is of: a cursor goes on in the same list with the same filters only. */
export type ListOf = { readonly list: string; readonly filters: object };

const text = z.array(z.union([z.string(), z.number()]));

/** Opaque for clients: what is in it may change. */
export const cursorOf = (of: ListOf, position: Position): string =>
  Buffer.from(JSON.stringify([markOf(of), ...position])).toString('base64url');

/** The position of a cursor; throws a problem where it was not given for this list, or was changed. */
export const positionOf = <P extends Position>(
  of: ListOf,
  cursor: string | undefined,
  shape: z.ZodType<P>,
): P | null => {
  if (cursor === undefined) return null;
  const values = text.safeParse(parsed(cursor));
  if (!values.success) throw invalid([{ at: 'query.cursor', message: 'is not a cursor of this API' }]);
  const [mark, ...rest] = values.data;
  const position = shape.safeParse(rest);
  if (mark !== markOf(of) || !position.success) {
    throw invalid([{ at: 'query.cursor', message: 'belongs to another list, or to other filters' }]);
  }
  return position.data;
};

/** Entries of one page, given one more than fit on it: that there is a next page is known without a second question. */
export const page = <R, V>(
  of: ListOf,
  rows: readonly R[],
  limit: number,
  make: { readonly view: (row: R) => V; readonly position: (row: R) => Position },
): { readonly items: V[]; readonly next: string | null } => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? cursorOf(of, make.position(last)) : null;
  return { items: shown.map(make.view), next };
};

const MARK = 12;
const markOf = ({ list, filters }: ListOf): string =>
  sha256(new TextEncoder().encode(`${list} ${JSON.stringify(sorted(filters))}`)).slice(0, MARK);

const sorted = (filters: object): readonly (readonly [string, unknown])[] =>
  Object.entries(filters)
    .filter(([name, value]) => value !== undefined && name !== 'cursor' && name !== 'limit')
    .sort(([a], [b]) => (a < b ? -1 : 1));

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
};
