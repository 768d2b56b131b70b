import type { Log } from '@holdfast/log';
import type { Clock } from '@holdfast/sdk';

/** Whether this machine's clock and the broker's can be reconciled, by the times that the broker gave to own records. */
export class SkewWatch {
  #strikes = 0;

  constructor(
    readonly skewMs: number,
    readonly strikesMax = 3,
  ) {}

  /**
   * An own record was sent at `sentAt` and answered at `answeredAt` by this clock; the broker gave it `at` (all epoch
   * ms). Answers how far off the clock is when it was off several times in a row, else null. A slow answer proves nothing.
   */
  note(at: number | null, sentAt: number, answeredAt: number): number | null {
    if (at === null) return null;
    const off = at > answeredAt + this.skewMs ? at - answeredAt : at < sentAt - this.skewMs ? at - sentAt : 0;
    this.#strikes = off === 0 ? 0 : this.#strikes + 1;
    return this.#strikes >= this.strikesMax ? off : null;
  }
}

/**
 * The same log, whose own appends tell how far this machine's clock is from the broker's. `off` is called when it is
 * further than `skewMs`, several times in a row: deadlines and settle windows of such a process mean nothing.
 */
export const watchSkew = (log: Log, clock: Pick<Clock, 'now'>, skewMs: number, off: (error: Error) => void): Log => {
  const watch = new SkewWatch(skewMs);
  return {
    append: async (topic, partition, records) => {
      const sentAt = clock.now();
      const answer = await log.append(topic, partition, records);
      const offMs = answer.outcome === 'appended' ? watch.note(answer.at, sentAt, clock.now()) : null;
      if (offMs !== null)
        off(new Error(`this machine's clock is ${offMs} ms away from the broker's; set the clocks right`));
      return answer;
    },
    read: (...asked) => log.read(...asked),
    bounds: (...asked) => log.bounds(...asked),
    tail: (...asked) => log.tail(...asked),
    close: () => log.close(),
  };
};
