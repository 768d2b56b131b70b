import type { EndReason } from '../run/run.events.js';
import type { Amounts } from './amounts.js';
import type { Limits } from './limits.js';

/** What a run may use and what follows from it. What it has used is `spent` of the run. */
export type RunBudget = {
  /** Null for a run that was accepted before there were limits: it is counted, and nothing bounds it. */
  readonly limits: Limits | null;
  /** What the run that began it has given it: more is not there for it. Null where nobody began it. */
  readonly given: Limits | null;
  /** Limits about which a warning was given. */
  readonly warned: readonly string[];
  /** Why nothing new is started any more. */
  readonly stop: Stop | null;
  /** Since when the run has made no progress, epoch ms; null while that is not known or does not count. */
  readonly idleSince: number | null;
  readonly grant: Grant | null;
};

export type Stop = {
  readonly reason: Extract<EndReason, 'budget_exhausted' | 'looping'>;
  readonly detail: string;
  /** A person is asked first whether it may go on. */
  readonly asks: boolean;
};

/** What the tenant of a run has granted it. */
export type Grant = {
  readonly tenant: string;
  /** Number of the last time that it was asked, and whether that is still open. */
  readonly ask: number;
  readonly open: boolean;
  readonly askedAt: number;
  /** For what it was asked: what did not fit then. */
  readonly wanted: Amounts;
  /** Null before the first answer: nothing is started before. */
  readonly total: Amounts | null;
  readonly denied: string | null;
  /** What is counted here of runs that this one has begun and that have grants of their own. */
  readonly elsewhere: Amounts;
};

/** A call that has succeeded: what was called with what, and what came of it. */
export type CallSeen = { readonly call: string; readonly result: string };

export type LoopWatch = {
  readonly repeatsMax: number;
  readonly cycleMax: number;
  readonly window: number;
  readonly onLoop: 'warn' | 'end' | 'ask';
  /** The last calls, oldest first; at most `window`. */
  readonly calls: readonly CallSeen[];
  /** The calls about which a warning was given, with their results; at most `window`. */
  readonly warned: readonly string[];
};
