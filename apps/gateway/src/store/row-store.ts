import type { Changes } from '../projection/changes.js';

/** A partition of a topic of which rows are made. */
export type Source = { readonly topic: string; readonly partition: number };

/** Rows, and how far the records go of which they follow: `from` up to `to`, exclusive. */
export type Chunk = {
  readonly source: Source;
  readonly from: number;
  readonly to: number;
  readonly changes: Changes;
};

/** The database is away or has not done what it was asked; the same may be tried again. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** Where rows are kept. */
export type RowStore = {
  /** The offset up to which a source is in the rows, exclusive. */
  position(source: Source): Promise<number>;
  /**
   * Writes rows and position in one transaction, but only where the position still is `from`; answers whether it did.
   * Whoever comes too late, for whatever reason, changes nothing. Rejects with `StoreUnavailable`: then it may have.
   */
  write(chunk: Chunk): Promise<boolean>;
};

/** A row of any table. */
export type Row = Readonly<Record<string, unknown>>;

/** The text of a row's key. */
export const keyText = (key: readonly unknown[]): string => key.join('\n');
