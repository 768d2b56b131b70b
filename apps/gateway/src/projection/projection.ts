import type { Chunk, Source } from '../store/row-store.js';
import { changesFrom, type Changes } from './changes.js';

/** What folds the records of a source: which rows follow from them, or that they are not wanted. */
export type View = { take(): Changes; drop(): void };

/** What follows from where the database is. `anew`: it is behind what was taken, so folding begins again. */
export type Answered = 'written' | 'again' | 'anew';

/**
 * Makes chunks out of the records of one source, one chunk after the other, and hears what became of them. It trusts
 * nothing but the position in the database: whoever wrote what is before it, those are the rows that this one would
 * have written. So one that slept through anything harms nothing.
 */
export class Projection {
  private folded = 0;
  private underWay: Chunk | null = null;
  private unwritten = { records: 0, bytes: 0 };

  constructor(
    readonly source: Source,
    /** Where the database is, as was last heard. */
    private position: number,
    private readonly view: View,
  ) {}

  /** The view has taken in the record at an offset. */
  took(offset: number, bytes: number): void {
    this.folded = offset + 1;
    if (this.folded <= this.position) return this.view.drop();
    this.unwritten.records += 1;
    this.unwritten.bytes += bytes;
  }

  /** What was taken since the last chunk was made. */
  get pending(): { readonly records: number; readonly bytes: number } {
    return this.unwritten;
  }

  /** The record after the last one taken. */
  get taken(): number {
    return this.folded;
  }

  /** Up to where rows are in the database, as far as is known. */
  get projected(): number {
    return this.position;
  }

  /** The chunk to be written now, the same until it is answered; null while there is none. */
  chunk(): Chunk | null {
    if (this.underWay === null && this.folded > this.position) {
      const { source, position: from, folded: to } = this;
      // The view may hold rows of records that somebody else has written meanwhile.
      this.underWay = { source, from, to, changes: changesFrom(this.view.take(), from) };
      this.unwritten = { records: 0, bytes: 0 };
    }
    return this.underWay;
  }

  /** What is left of a chunk of which somebody else has written a part. */
  get unfinished(): Chunk | null {
    return this.underWay;
  }

  /** Where the database is after a try to write the chunk, whoever has moved it. */
  answered(position: number): Answered {
    const chunk = this.underWay;
    if (chunk === null) return this.heard(position);
    if (position < chunk.from) return 'anew';
    const isDone = position >= chunk.to;
    this.underWay = isDone ? null : { ...chunk, from: position, changes: changesFrom(chunk.changes, position) };
    this.moveTo(position);
    return isDone ? 'written' : 'again';
  }

  /** Where the database is, asked for without having written: a rebuild may have begun, or somebody else is further. */
  heard(position: number): Answered {
    if (this.underWay !== null) return 'again';
    if (position < this.position) return 'anew';
    this.moveTo(position);
    return 'written';
  }

  private moveTo(position: number): void {
    this.position = position;
    if (this.folded > position) return;
    this.view.drop();
    this.unwritten = { records: 0, bytes: 0 };
  }
}
