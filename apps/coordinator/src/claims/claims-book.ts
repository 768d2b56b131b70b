import type { Claim } from '@holdfast/contracts';
import type { FirstClaim } from '../run/env.js';

/** `claim` is null for a record that nobody here can read: it may be a claim of a newer build. */
export type ReadClaim = { readonly offset: number; readonly claim: Claim | null };
type Known = { readonly first: Extract<FirstClaim, { offset: number }>; readonly startBy: number };

/** How long after `startBy` a first claim is remembered, ms. Later it is read again from the log where it is needed. */
const MEMORY_MS = 10 * 60_000;

/**
 * First claims of one claims partition, over one unbroken range of offsets that only grows: `[from, next)`. What lies
 * outside the range is not known, so nothing is concluded from the absence of a claim there.
 */
export class ClaimsBook {
  readonly #firsts = new Map<string, Known>();
  readonly #unreadable: number[] = [];

  /** Everything in `[from, next)` has been read. */
  constructor(
    public from: number,
    public next: number,
  ) {}

  /** The next records in order. Answers the attempts whose first claim became known. */
  append(claims: readonly ReadClaim[], next: number): readonly string[] {
    const news: string[] = [];
    for (const read of claims) {
      if (read.claim === null) this.#unreadable.push(read.offset);
      const known = knownOf(read);
      if (known === null || this.#firsts.has(known.id)) continue;
      this.#firsts.set(known.id, known);
      news.push(known.id);
    }
    this.next = Math.max(this.next, next);
    return news;
  }

  /** Extends the range downward: `claims` are all records of `[from, this.from)`. Older claims win. */
  prepend(claims: readonly ReadClaim[], from: number): readonly string[] {
    const older = new Map<string, Known>();
    for (const read of claims) {
      if (read.claim === null) this.#unreadable.push(read.offset);
      const known = knownOf(read);
      if (known !== null && !older.has(known.id)) older.set(known.id, known);
    }
    for (const [id, known] of older) this.#firsts.set(id, known);
    this.from = Math.min(this.from, from);
    return [...older.keys()];
  }

  /**
   * The first claim of an attempt all of whose claims lie at or after `claimsFrom`; null while it is not known. What
   * stands unreadable before it may be an earlier claim, and where a claim lies below `claimsFrom` records are gone from
   * the log: then nothing is concluded.
   */
  first(attemptId: string, claimsFrom: number): FirstClaim | null {
    const first = claimsFrom < this.from ? undefined : this.#firsts.get(attemptId)?.first;
    if (first === undefined) return null;
    const obscured = this.#unreadable.some((offset) => offset >= claimsFrom && offset < first.offset);
    return obscured || first.offset < claimsFrom ? { kind: 'unreadable' } : first;
  }

  /** Forgets claims of attempts long past. The range begins after them: whoever needs them reads them again. */
  forget(now: number): void {
    for (const [id, { first, startBy }] of this.#firsts) {
      if (startBy + MEMORY_MS > now) continue;
      this.#firsts.delete(id);
      this.from = Math.max(this.from, first.offset + 1);
    }
  }
}

const knownOf = ({ offset, claim }: ReadClaim): (Known & { readonly id: string }) | null => {
  if (claim === null || claim.type === 'PartitionLooked') return null;
  const { attemptId, startBy } = claim.data;
  if (claim.type === 'AttemptClosed') return { id: attemptId, startBy, first: { kind: 'closed', offset } };
  const { session, deadline } = claim.data;
  return { id: attemptId, startBy, first: { kind: 'claimed', session, deadline, offset } };
};
