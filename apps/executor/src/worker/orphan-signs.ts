import { monotonicMs } from '../channel/shared-clock.js';
import type { Orphan } from './orphan.js';

const LAST_SEEN = 0;
const CALLS_UNTIL = 1;

/**
 * What the guard's thread sees of the main thread: when it was last there, and until when its calls may take. All by the
 * monotonic clock, which nobody sets.
 */
export class OrphanSigns {
  constructor(readonly shared: Float64Array = new Float64Array(new SharedArrayBuffer(16))) {}

  /** The main thread is there. */
  seen(): void {
    this.shared[LAST_SEEN] = monotonicMs();
  }

  /** A call begins that may take so long. */
  callBegins(lastsMs: number): void {
    const until = monotonicMs() + lastsMs;
    if (until > (this.shared[CALLS_UNTIL] ?? 0)) this.shared[CALLS_UNTIL] = until;
  }

  /** As it stands for a worker whose parent was first missed at `since`. */
  of(since: number): Orphan {
    return { since, lastSeen: this.shared[LAST_SEEN] ?? 0, callsUntil: this.shared[CALLS_UNTIL] ?? 0 };
  }
}
