import { Worker as Thread } from 'node:worker_threads';

/** What the guard's thread sees of the main thread: when it was last there, and until when its calls may take. */
const LAST_SEEN = 0;
const CALLS_UNTIL = 1;

/**
 * Ends this process when its parent is gone and its main thread hangs in a call that is past its time, or nobody has
 * taken its last words for long: then nobody else is left to do it.
 */
export class OrphanGuard {
  private readonly shared = new Float64Array(new SharedArrayBuffer(16));
  private readonly thread: Thread;

  constructor(private readonly graceMs: number) {
    this.seen();
    this.thread = new Thread(new URL('./orphan-guard.thread.js', import.meta.url), {
      workerData: { shared: this.shared, parent: process.ppid, lastSeen: LAST_SEEN, callsUntil: CALLS_UNTIL },
    });
    this.thread.unref();
  }

  /** The main thread is there. */
  seen(): void {
    this.shared[LAST_SEEN] = Date.now();
  }

  /** A call may take until then. */
  callUntil(deadline: number): void {
    const until = deadline + this.graceMs;
    if (until > (this.shared[CALLS_UNTIL] ?? 0)) this.shared[CALLS_UNTIL] = until;
  }
}
