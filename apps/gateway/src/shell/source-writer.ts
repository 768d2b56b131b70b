import type { Logger, Timer } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import type { Answered, Projection } from '../projection/projection.js';
import { StoreUnavailable, type Chunk, type RowStore } from '../store/row-store.js';

const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;

export type SourceWriterParts = {
  readonly store: RowStore;
  readonly timer: Timer;
  readonly logger: Logger;
  /** The database is behind what was folded: rows are made again from the first record on. */
  readonly anew: (position: number) => void;
  /** What could not be done, and is tried again; null when it was done. */
  readonly trouble: (detail: string | null) => void;
};

/** Carries the chunks of one source into the database, however often it is away, and tells how that went. */
export class SourceWriter {
  private writing = false;
  private stopped = false;

  constructor(
    readonly projection: Projection,
    private readonly parts: SourceWriterParts,
  ) {}

  get isWriting(): boolean {
    return this.writing;
  }

  /** Writes what there is, in one chunk, unless that is under way. */
  async write(): Promise<void> {
    if (this.writing || this.stopped) return;
    this.writing = true;
    try {
      for (let chunk = this.projection.chunk(); chunk !== null; chunk = this.projection.unfinished) {
        if (!(await this.settle(chunk))) return;
      }
    } finally {
      this.writing = false;
    }
  }

  /** Nothing more is written; what is under way may still be. */
  stop(): void {
    this.stopped = true;
  }

  /** Where the database is, asked for at a moment when nothing was being written. */
  heard(position: number): void {
    if (!this.writing && !this.stopped) this.follow(this.projection.heard(position), position);
  }

  /** Whether to go on: it was written, by this one or by somebody else. */
  private async settle(chunk: Chunk): Promise<boolean> {
    for (let pauseMs = RETRY_FIRST_MS; !this.stopped; pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)) {
      const position = await this.tryToWrite(chunk);
      if (this.stopped) return false;
      if (position !== null) return this.follow(this.projection.answered(position), position);
      await new Promise<void>((resolve) => this.parts.timer.after(pauseMs, resolve));
    }
    return false;
  }

  /** Where the database is after it; null where nobody answers: it may be written, and may not. */
  private async tryToWrite(chunk: Chunk): Promise<number | null> {
    const { store, trouble } = this.parts;
    try {
      failpoint('gateway.write.before');
      const written = await store.write(chunk);
      failpoint('gateway.commit.after');
      return written ? chunk.to : await store.position(chunk.source);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      trouble(error.message);
      return store.position(chunk.source).then(
        // Only a position beyond the chunk's begin says that it needs no further try.
        (position) => (position === chunk.from ? null : position),
        () => null,
      );
    }
  }

  private follow(answered: Answered, position: number): boolean {
    if (answered !== 'anew') {
      this.parts.trouble(null);
      return true;
    }
    failpoint('gateway.anew.before');
    this.stopped = true;
    this.parts.anew(position);
    return false;
  }
}
