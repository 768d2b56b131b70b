import type { Scenario } from '../scenario/scenario.js';

/** How long a word of a coordinator takes at most where nothing is slow, ms. */
const WORD_MS = 300;
/** How long after the start every lane is led, ms. */
const LED_MS = 5_000;

/** How soon coordinators do what they must, and when nobody can say: after a fault, a lost append, while lanes find their leaders. */
export class Pace {
  private readonly losesAppends: boolean;

  constructor(
    private readonly scenario: Scenario,
    readonly now: () => number,
    private readonly disturbedUntil: () => number,
  ) {
    this.losesAppends = scenario.losses.some(({ process }) => process.startsWith('coordinator'));
  }

  /** Whether from then until now every coordinator could do its work. */
  isCalmSince(since: number): boolean {
    return !this.losesAppends && since >= LED_MS && this.disturbedUntil() <= since;
  }

  /** How far the clocks of two coordinators are apart at most, ms. */
  readonly skewMs = 2 * 90;

  /** How long it takes at most until what one lane knows has become history on another one, `words` lanes further. Ms. */
  slackMs(words: number): number {
    return words * (WORD_MS + this.slowMs);
  }

  /** How much longer than half a second the log may take for a batch, ms. */
  get slowMs(): number {
    const { slowMs } = this.scenario;
    return slowMs <= 50 ? 0 : 4 * slowMs;
  }
}
