import type { Log } from '@holdfast/log';
import type { Clock } from '@holdfast/sdk';
import { offByBroker, type Moment } from './stamp.js';

/** How long a time stamp bears the clock out, ms. Monotonic clocks do not drift by any skew meanwhile. */
const BORNE_OUT_MS = 60_000;

/**
 * The machine's clock as far as the broker's time stamps bear it out. Between two own records that do, it goes on with
 * the monotonic clock: one that was set meanwhile is followed by `skewMs` and no further, so that nothing becomes due
 * by it. One that is off several times in a row is told with how far.
 */
export class WatchedClock implements Clock {
  #right: Moment;
  #strikes = 0;
  #wasBorneOut = false;

  constructor(
    private readonly clock: Clock,
    readonly skewMs: number,
    readonly strikesMax = 3,
  ) {
    this.#right = this.read();
  }

  /** Whether an own record has borne it out of late. */
  get isBorneOut(): boolean {
    return this.#unprovenMs < BORNE_OUT_MS;
  }

  /** Whether it is time for an own record, for whoever would write none otherwise. */
  get wantsProof(): boolean {
    return this.#unprovenMs >= BORNE_OUT_MS / 3;
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
   * clock is when it was off several times in a row, else null.
   */
  note(at: number | null, sent: Moment, answered: Moment): number | null {
    const offMs = offByBroker({ at, sent, answered }, this.skewMs);
    if (offMs === null) return null;
    const isOff = Math.abs(offMs) > this.skewMs;
    this.#strikes = isOff ? this.#strikes + 1 : 0;
    if (!isOff) {
      this.#right = answered;
      this.#wasBorneOut = true;
    }
    return this.#strikes >= this.strikesMax ? offMs : null;
  }

  /** For how long nothing has borne it out. The monotonic clock stands still in a machine that is suspended. */
  get #unprovenMs(): number {
    if (!this.#wasBorneOut) return Infinity;
    const { now, mono } = this.read();
    return Math.max(mono - this.#right.mono, now - this.#right.now);
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
