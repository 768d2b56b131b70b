/**
 * Entries by name, each with the moment at which time leads to something for it. Plain data that is never changed; what
 * it costs to put one in, to take one out or to find what is due does not grow with the number of entries.
 */
export type Table<T> = { readonly size: number; readonly parts: readonly Part<T>[] };

type Part<T> = { readonly due: number; readonly entries: Readonly<Record<string, Entry<T>>> };
type Entry<T> = { readonly value: T; readonly due: number };

/** Each change copies one part and the list of them: with some ten thousand entries that is about as little as can be. */
const PARTS = 256;
const noPart: Part<never> = Object.freeze({ due: Infinity, entries: Object.freeze({}) });

export const emptyTable: Table<never> = Object.freeze({
  size: 0,
  parts: Object.freeze(Array.from({ length: PARTS }, () => noPart)),
});

export const entryOf = <T>(table: Table<T>, name: string): T | undefined => {
  const { entries } = partOf(table, name);
  return Object.hasOwn(entries, name) ? entries[name]?.value : undefined;
};

export const withEntry = <T>(table: Table<T>, name: string, value: T, due: number): Table<T> => {
  const part = partOf(table, name);
  const size = table.size + (Object.hasOwn(part.entries, name) ? 0 : 1);
  return changed(table, name, size, { ...part.entries, [name]: { value, due } });
};

export const withoutEntry = <T>(table: Table<T>, name: string): Table<T> => {
  const { entries } = partOf(table, name);
  if (!Object.hasOwn(entries, name)) return table;
  const { [name]: _, ...rest } = entries;
  return changed(table, name, table.size - 1, rest);
};

export const entriesIn = <T>({ parts }: Table<T>): readonly (readonly [name: string, value: T])[] =>
  parts.flatMap(({ entries }) => Object.entries(entries).map(([name, { value }]) => [name, value] as const));

/** The same, each with the moment at which it is due. */
export const dueEntriesIn = <T>({ parts }: Table<T>): readonly (readonly [name: string, value: T, due: number])[] =>
  parts.flatMap(({ entries }) => Object.entries(entries).map(([name, { value, due }]) => [name, value, due] as const));

/** The next moment at which something is due in it, epoch ms. */
export const tableDue = <T>({ parts }: Table<T>): number => {
  let due = Infinity;
  for (const part of parts) if (part.due < due) due = part.due;
  return due;
};

/** What is due by a moment. */
export const dueIn = <T>({ parts }: Table<T>, by: number): readonly (readonly [name: string, value: T])[] =>
  parts
    .filter(({ due }) => due <= by)
    .flatMap(({ entries }) => Object.entries(entries))
    .flatMap(([name, { value, due }]) => (due <= by ? [[name, value] as const] : []));

const changed = <T>({ parts }: Table<T>, name: string, size: number, entries: Part<T>['entries']): Table<T> => {
  const all = Object.values(entries);
  const part = all.length === 0 ? noPart : { due: Math.min(...all.map(({ due }) => due)), entries };
  return { size, parts: parts.with(placeOf(name), part) };
};

const partOf = <T>({ parts }: Table<T>, name: string): Part<T> => parts[placeOf(name)] as Part<T>;

const placeOf = (name: string): number => {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) & (PARTS - 1);
};
