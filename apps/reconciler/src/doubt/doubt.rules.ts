import { DEFAULTS } from '@holdfast/events';

/** The rules of asking, each of which matters. Only tests switch one off, to show that it does. */
export type Rules = {
  /** An `absent` counts only when the question began after nothing could land any more. */
  readonly absentOnlyAfterSettled: boolean;
  /** A doubt gets one definitive verdict of this process, however long the coordinator takes to read it. */
  readonly oneDefinitiveVerdict: boolean;
  /** The time asked is taken before the question is sent, not when its answer comes. */
  readonly askedAtBeforeQuestion: boolean;
  /** An answer about a doubt that is settled meanwhile is dropped. */
  readonly onlyWhileInDoubt: boolean;
};

export const RULES: Rules = Object.freeze({
  absentOnlyAfterSettled: true,
  oneDefinitiveVerdict: true,
  askedAtBeforeQuestion: true,
  onlyWhileInDoubt: true,
});

/** How a reconciler asks. Durations in ms. */
export type Settings = {
  /** Random id of one process life. */
  readonly judgedBy: string;
  /** How far clocks may be apart; an `absent` is asked for later than `settledAt` by more than this. */
  readonly skewMs: number;
  readonly questionMs: number;
  readonly probeFirstMs: number;
  readonly probeMaxMs: number;
  /** A verdict whose append was not answered is appended again after this time. */
  readonly repeatMs: number;
  readonly questionsMax: number;
};

export const defaultSettings = (judgedBy: string): Settings => ({
  judgedBy,
  skewMs: DEFAULTS.skewMs,
  questionMs: 10_000,
  probeFirstMs: DEFAULTS.probeFirstMs,
  probeMaxMs: DEFAULTS.probeMaxMs,
  repeatMs: 500,
  questionsMax: 16,
});

/** How long to wait after the given probe said nothing. */
export const backoffMs = (settings: Settings, probe: number): number =>
  // The exponent is bounded so that a doubt that stays open for weeks does not overflow.
  Math.min(settings.probeMaxMs, settings.probeFirstMs * 2 ** Math.min(probe - 1, 30));
