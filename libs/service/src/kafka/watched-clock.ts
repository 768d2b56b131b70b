import type { Log } from '@holdfast/log';
import type { Clock } from '@holdfast/sdk';

type Moment = { readonly now: number; readonly mono: number };

/**
 * The machine's clock as far as the broker's time stamps bear it out. Between two own records that do, it goes on with
 * the monotonic clock: one that was set meanwhile is followed by `skewMs` and no further, so that nothing becomes due
 * by it. One that is off several times in a row is told with how far.
 */
export class WatchedClock implements Clock {
  #right: Moment;
  #strikes = 0;
  #isBorneOut = false;

  constructor(
    private readonly clock: Clock,
    readonly skewMs: number,
    readonly strikesMax = 3,
  ) {
    this.#right = this.read();
  }

  /** Whether an own record has borne it out yet. */
  get isBorneOut(): boolean {
    return this.#isBorneOut;
  }

  now(): number {
    const { now, mono } = this.read();
    const expected = this.#right.now + mono - this.#right.mono;
    return Math.round(Math.min(Math.max(now, expected - this.skewMs), expected + this.skewMs));
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  /** The machine's own clocks, read together: what `note` compares. */
  read(): Moment {
    return { now: this.clock.now(), mono: this.clock.monotonic() };
  }

  /**
   * An own record was sent and answered at these moments; the broker gave it `at` (epoch ms). Answers how far off the
   * clock is when it was off several times in a row, else null. Neither a slow answer nor one across which the clock was
   * set proves anything.
   */
  note(at: number | null, sent: Moment, answered: Moment): number | null {
    const wasSet = Math.abs(answered.now - sent.now - (answered.mono - sent.mono)) > this.skewMs;
    if (at === null || wasSet) return null;
    const off = at > answered.now + this.skewMs ? at - answered.now : at < sent.now - this.skewMs ? at - sent.now : 0;
    this.#strikes = off === 0 ? 0 : this.#strikes + 1;
    if (off === 0) {
      this.#right = answered;
      this.#isBorneOut = true;
    }
    return this.#strikes >= this.strikesMax ? off : null;
  }
}

/**
 * The same log, whose own appends tell the clock how far it is from the broker's. `off` is called when it is further
 * than `skewMs`, several times in a row: deadlines and settle windows of such a process mean nothing.
 */
export const watchSkew = (log: Log, clock: WatchedClock, off: (error: Error) => void): Log => ({
  append: async (topic, partition, records) => {
    const sent = clock.read();
    const answer = await log.append(topic, partition, records);
    const offMs = answer.outcome === 'appended' ? clock.note(answer.at, sent, clock.read()) : null;
    if (offMs !== null)
      off(new Error(`this machine's clock is ${offMs} ms away from the broker's; set the clocks right`));
    return answer;
  },
  read: (...asked) => log.read(...asked),
  bounds: (...asked) => log.bounds(...asked),
  tail: (...asked) => log.tail(...asked),
  close: () => log.close(),
});
