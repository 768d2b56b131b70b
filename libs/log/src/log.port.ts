/**
 * What the runtime asks of a log, and nothing else: a partition is one ordered log; a batch for one partition is
 * appended whole or not at all; an acknowledged append stays, and its answer names the offset of its first record; an
 * append without an answer may be there, may not, or may still arrive at any later time, once or twice.
 */
export type Log = {
  /**
   * Appends one batch to one partition, once, without retries.
   *
   * Appends to one partition through one `Log` are sent one after the other, in call order. Never rejects for what a
   * broker or network does: that is the answer `unknown`. An answer `refused` proves that nothing was written.
   */
  append(topic: string, partition: number, records: readonly Entry[]): Promise<Appended>;

  /** Reads from `offset` on. Waits up to `waitMs` (default 0) for a first record. Rejects with `LogUnavailable` when nobody answers, with `LogDefect` on a hole. */
  read(topic: string, partition: number, offset: number, options?: ReadOptions): Promise<Fetched>;

  /** The first offset still kept and the end (a lower bound of the true end). Rejects with `LogUnavailable`. */
  bounds(topic: string, partition: number): Promise<Bounds>;

  /** Follows many partitions with one long poll. The handler hears of records and of ends, see `Tail`. */
  tail(handler: TailHandler, options?: TailOptions): Tail;

  /** Ends all tails and connections. Appends still waiting are answered `unknown`. */
  close(): Promise<void>;
};

export type Entry = { readonly key: string | null; readonly value: Uint8Array | null; readonly headers?: Headers };
export type Headers = Readonly<Record<string, string>>;

export type Appended =
  | { readonly outcome: 'appended'; readonly offset: number; readonly at: number | null }
  /**
   * Proof that nothing was written. `too_large` and `unknown_partition` come again with the same bytes; `denied` until a
   * person gives this process the right to write there.
   */
  | {
      readonly outcome: 'refused';
      readonly reason: 'too_large' | 'unknown_partition' | 'invalid' | 'denied';
      readonly detail: string;
    }
  | { readonly outcome: 'unknown'; readonly detail: string };

export type ReadOptions = {
  readonly waitMs?: number;
  readonly bytesMax?: number;
  /** For compacted topics only: holes between offsets are expected, and `records` need not be contiguous. */
  readonly sparse?: boolean;
};

export type FollowOptions = Pick<ReadOptions, 'sparse'>;

export type LogRecord = {
  readonly offset: number;
  /** Epoch ms given by the broker when it appended the record. */
  readonly at: number;
  readonly key: string | null;
  /** Bytes as they were written; `null` for a record without a value. */
  readonly value: Uint8Array | null;
  readonly headers: Headers;
};

export type Fetched =
  /** `records` are contiguous from the asked offset; `next` is the offset after the last of them; `end` is the known end. */
  | { readonly outcome: 'fetched'; readonly records: readonly LogRecord[]; readonly next: number; readonly end: number }
  /** The asked offset is below `start` or above `end`. Never repaired in silence. */
  | ({ readonly outcome: 'out_of_range' } & Bounds);

export type Bounds = { readonly start: number; readonly end: number };

export type TailOptions = {
  /**
   * How long it rests after each answer, in ms; default 0. For readers whom a few ms more do not hurt: each record ends
   * the poll that waits for it, so that fewer, larger answers cost both sides much less.
   */
  readonly paceMs?: number;
};

export type TailBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  readonly next: number;
  readonly end: number;
};

export type TailHandler = {
  /**
   * Called in order for each followed partition, also with no records (the known end of that partition, at least once
   * per poll). Must not throw; must return quickly. `unfollow` inside is allowed.
   */
  batch(batch: TailBatch): void;
  /** The position of a followed partition is no longer kept, or beyond the end. The partition is unfollowed. */
  outOfRange(topic: string, partition: number, offset: number, bounds: Bounds): void;
  /** A poll failed; the tail goes on by itself with back-off. For logs and health only. */
  trouble?(detail: string): void;
  /** The log answered with a hole where none may be: acknowledged records are gone. The partition is unfollowed. */
  defect?(topic: string, partition: number, detail: string): void;
};

export type Tail = {
  /** Follows a partition from `offset` on; following it again moves its position. Records read for an old position are not delivered. */
  follow(topic: string, partition: number, offset: number, options?: FollowOptions): void;
  unfollow(topic: string, partition: number): void;
  /** No handler call happens after the returned promise is fulfilled. */
  close(): Promise<void>;
};

/** Nobody answered a read within its time. Nothing is known; ask again. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** The log contradicts its own contract, for example a hole between offsets. Never repaired; a person has to look. */
export class LogDefect extends Error {
  override readonly name = 'LogDefect';
}
