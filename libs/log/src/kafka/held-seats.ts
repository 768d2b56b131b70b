import type { SeatClaim } from '../sticky.js';

const NONE: ReadonlySet<number> = new Set();

/**
 * The seats that the group gave us, as long as we heard from it lately by our own monotonic clock: no event tells in
 * time that they are gone. They are kept through a rebalance, since most keep their holder.
 */
export class HeldSeats {
  private given: ReadonlySet<number> = NONE;
  private told: ReadonlySet<number> = NONE;
  private heardAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly trustMs: number,
    private readonly changed: (held: ReadonlySet<number>) => void,
  ) {}

  isFresh(): boolean {
    return !this.closed && performance.now() - this.heardAt <= this.trustMs;
  }

  /** How long ago the group was last heard of; infinite before the first time. */
  get silentMs(): number {
    return performance.now() - this.heardAt;
  }

  held(): ReadonlySet<number> {
    return this.isFresh() ? this.given : NONE;
  }

  /** What we tell the group when joining: the last seats, even when too old to act on, so that they can stay ours. */
  claim(): Omit<SeatClaim, 'member'> {
    return { held: [...this.given], fresh: this.isFresh() };
  }

  assigned(seats: readonly number[]): void {
    this.given = new Set([...seats].sort((a, b) => a - b));
    this.heard();
  }

  heard(): void {
    if (this.closed) return;
    this.heardAt = performance.now();
    this.tell();
    if (this.timer === undefined) this.watch(this.trustMs);
  }

  /** Gives all up: held by nobody from now on. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.tell();
  }

  private watch(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const leftMs = this.heardAt + this.trustMs - performance.now();
      if (leftMs >= 0) this.watch(leftMs + 1);
      else this.tell();
    }, ms);
  }

  private tell(): void {
    const held = this.held();
    if (held.size === this.told.size && [...held].every((seat) => this.told.has(seat))) return;
    this.told = held;
    this.changed(held);
  }
}
