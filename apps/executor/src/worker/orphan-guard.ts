import { Worker as Thread } from 'node:worker_threads';
import { OrphanSigns } from './orphan-signs.js';

/**
 * Ends this process when its parent is gone and its main thread hangs in a call that is past its time, or nobody has
 * taken its last words for long: then nobody else is left to do it.
 */
export class OrphanGuard {
  private readonly signs = new OrphanSigns();
  private readonly thread: Thread;

  constructor(private readonly graceMs: number) {
    this.seen();
    this.thread = new Thread(new URL('./orphan-guard.thread.js', import.meta.url), {
      workerData: { shared: this.signs.shared, parent: process.ppid },
    });
    this.thread.unref();
  }

  /** The main thread is there. */
  seen(): void {
    this.signs.seen();
  }

  /** A call begins that may take so long. */
  callBegins(lastsMs: number): void {
    this.signs.callBegins(lastsMs + this.graceMs);
  }
}
