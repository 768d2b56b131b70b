import type { Fact } from './tally.js';

/** Looks at a fact; where it returns a promise, the next one waits for that. */
export type See = (fact: Fact) => Promise<void> | null;

/** Hands facts over in order and, as long as nobody asks for a pause, in the very call that brings them. */
export class Facts {
  /** Fulfilled when the end of the run was looked at; rejects with `failed`. */
  readonly ended: Promise<void>;
  /** Rejects when something fails, also after the end; never fulfilled. */
  readonly failed: Promise<never>;
  private end!: () => void;
  fail!: (error: Error) => void;
  private readonly waiting: Fact[] = [];
  private paused = false;

  constructor(private readonly see: See) {
    this.failed = new Promise<never>((_, reject) => (this.fail = reject));
    this.ended = Promise.race([new Promise<void>((resolve) => (this.end = resolve)), this.failed]);
    // Whoever submits may fail first; then nobody listens here.
    for (const promise of [this.ended, this.failed]) promise.catch(() => undefined);
  }

  add(fact: Fact): void {
    this.waiting.push(fact);
    if (!this.paused) this.handOver();
  }

  private handOver(): void {
    for (let fact = this.waiting.shift(); fact !== undefined; fact = this.waiting.shift()) {
      const pause = this.see(fact);
      if (fact.event.type === 'RunEnded') this.end();
      if (pause === null) continue;
      this.paused = true;
      void this.goOnAfter(pause);
      return;
    }
  }

  private async goOnAfter(pause: Promise<void>): Promise<void> {
    await pause.catch((error: Error) => this.fail(error));
    this.paused = false;
    this.handOver();
  }
}
