import type { Cancel, Timer } from '@holdfast/sdk';
import type { Time } from '../../apps/executor/src/session/session.state.js';

type Due = { at: number; readonly everyMs: number | null; readonly work: () => void };

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Time that passes only by `pass`; both clocks go with it. */
export class ManualTimer implements Timer {
  private readonly due = new Set<Due>();
  private mono = 0;
  /** Added to the wall clock alone. */
  offMs = 0;

  constructor(private readonly start = 1_000_000) {}

  readonly clocks = (): Time => ({ now: this.start + this.mono + this.offMs, mono: this.mono });

  after(ms: number, work: () => void): Cancel {
    return this.add({ at: this.mono + ms, everyMs: null, work });
  }

  every(ms: number, work: () => void): Cancel {
    return this.add({ at: this.mono + ms, everyMs: ms, work });
  }

  async pass(ms: number): Promise<void> {
    const until = this.mono + ms;
    await turn();
    for (let next = this.first(until); next !== undefined; next = this.first(until)) {
      this.mono = Math.max(this.mono, next.at);
      if (next.everyMs === null) this.due.delete(next);
      else next.at += next.everyMs;
      next.work();
      await turn();
    }
    this.mono = until;
    await turn();
  }

  /** A process that stood still: time is gone, nothing was done meanwhile. */
  jump(ms: number): void {
    this.mono += ms;
  }

  private first(until: number): Due | undefined {
    return [...this.due].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }

  private add(due: Due): Cancel {
    this.due.add(due);
    return () => this.due.delete(due);
  }
}
