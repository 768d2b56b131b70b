/**
 * Seats suggest who works where, nothing more: safety never rests on them. A pool of `seats.<role>` has numbered
 * seats; members share them. A member that has not heard from the group for its session time no longer holds any seat,
 * by its own monotonic clock.
 */
export type Seats = {
  /** Joins the pool. `changed` is called with the full set of seats held each time the set changes, also with none. */
  join(pool: SeatPool, changed: (held: ReadonlySet<number>) => void): Promise<SeatMembership>;
};

/** `topic` is the empty topic whose partitions are the seats; `group` the consumer group on it. */
export type SeatPool = { readonly topic: string; readonly group: string };

export type SeatMembership = {
  /** Judged at the moment of asking, by the time since the last acknowledged group heartbeat. */
  holds(seat: number): boolean;
  held(): ReadonlySet<number>;
  /** Commits positions of other topics under the group, as a hint: may be lost, may expire. Rejects when not a member. */
  commit(positions: readonly CommittedPosition[]): Promise<void>;
  /** Positions committed under the group; a partition without one is missing from the answer. */
  committed(topics: readonly string[]): Promise<readonly CommittedPosition[]>;
  /** Leaves at once, so that others need not wait for the session to end. */
  leave(): Promise<void>;
};

export type CommittedPosition = { readonly topic: string; readonly partition: number; readonly offset: number };
