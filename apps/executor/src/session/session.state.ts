import type { Claim, StepOrder } from '@holdfast/contracts';
import { DEFAULTS } from '@holdfast/events';
import { RULES, type Rules } from './rules.js';

/** All that one worker process knows. Plain data: it can be cloned, hashed and compared; `step` changes it in place. */
export type ExecutorState = {
  readonly settings: Settings;
  readonly sessions: Map<string, Session>;
  /** The session under which new work is taken. */
  open: string | null;
  stopping: Stopping | null;
  /** How far this machine's clock is from the broker's, as far as is known. */
  clockOffMs: number;
  /** Clocks at the sending of the last heartbeat that showed the wall clock to be right. */
  right: Time | null;
  readonly partitions: Map<string, Partition>;
  /** Attempts that are not over. */
  readonly attempts: Map<string, Attempt>;
  /** Attempts that could start if there was a slot, oldest first. */
  readonly waiting: Set<string>;
  /** Attempts in their call that have not been given up. */
  readonly calling: Set<string>;
  slotsUsed: number;
  /** The attempt beside which nothing is called. */
  alone: string | null;
  /** Own attempts that are over, with their `startBy`. */
  readonly past: Map<string, number>;
  readonly aborted: Map<string, 'abort' | 'drain'>;
  /** `pure` attempts that were in their call at too many deaths of a worker. */
  readonly quarantined: Set<string>;
  /** `pure` attempts that are called alone: at one more death it is known whose fault that is. */
  readonly suspects: Set<string>;
  lastAppend: number;
  /** When what is past its time was last looked for, by the monotonic clock. */
  sweptAt: number;
};

export type Settings = {
  readonly rules: Rules;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** A heartbeat counts as fresh for the lease less this. */
  readonly leaseMarginMs: number;
  readonly skewMs: number;
  readonly graceMs: number;
  readonly startedAfterMs: number;
};

/** Wall clock in epoch ms and a monotonic clock in ms, read together. */
export type Time = { readonly now: number; readonly mono: number };

export type Session = {
  readonly id: string;
  draining: boolean;
  /** It was not heard of for longer than its lease: somebody may have taken it for dead, and holds on to that. */
  lapsed: boolean;
  /** The time to act by at the sending of the last acknowledged heartbeat that named the session. */
  beat: Time | null;
  /** Attempts that it claimed or called and that are not over. */
  attempts: number;
};

export type Stopping = { readonly why: 'drain' | 'parent-lost'; readonly until: number | null; said: boolean };

export type Partition = {
  readonly queue: string;
  readonly partition: number;
  seated: boolean;
  /** Why nothing is served here any more. */
  defect: string | null;
  commands: Commands;
  range: ClaimsRange | null;
  followsClaims: boolean;
  /** Attempts whose claims cannot be judged before the range reaches further down. */
  readonly uncovered: Set<string>;
  /** Claims for the next append. */
  toClaim: string[];
  append: ClaimAppend | null;
};

export type Commands = {
  next: number;
  /** What is not settled yet of the commands that were read, by offset, in order. */
  readonly pending: Map<number, number>;
  reported: number | null;
};

/** What is known of a claims partition: everything in [`from`, `next`), one unbroken range that only grows. */
export type ClaimsRange = {
  from: number;
  next: number;
  readonly first: Map<string, FirstClaim>;
  /** Offsets whose record nobody here can read: it may be a claim for anything. */
  readonly unreadable: number[];
  /** Own acknowledged appends above `next`. */
  mine: OwnClaims[];
  /** A read of what lies below `from` is under way. */
  lowering: number | null;
  /** Nothing below this is kept by the log any more. */
  lost: number;
};

/** `session` is null for `closed`. */
export type FirstClaim = {
  readonly session: string | null;
  readonly deadline: number;
  readonly startBy: number;
  readonly offset: number;
};

export type OwnClaims = { readonly offset: number; readonly claims: readonly ClaimData[] };
export type ClaimData = Extract<Claim, { type: 'AttemptClaimed' }>['data'];

/** The one append of claims under way in a partition; sent again with the same bytes until it is answered or seen. */
export type ClaimAppend = {
  readonly id: number;
  claims: readonly ClaimData[];
  /** The end that was known when it was sent: it cannot land below. */
  readonly above: number;
  tries: number;
};

/**
 * waiting: wants a slot · claiming: a claim is sent, not known to be first · calling: the one call is permitted and
 * under way · reporting: the call is over, or there was none, and the journal has not acknowledged it.
 */
export type Phase = 'waiting' | 'claiming' | 'calling' | 'reporting';

export type Attempt = {
  readonly order: StepOrder;
  readonly lane: number;
  readonly partitionKey: string;
  phase: Phase;
  session: string | null;
  deadline: number | null;
  /** Unsettled offsets of its command's copies. */
  offsets: number[];
  startedAt: number | null;
  startedSaid: boolean;
  abortSaid: boolean;
  slot: boolean;
  /** The call ran past deadline and grace: it has no slot any more, its late outcome is still reported. */
  abandoned: boolean;
  /** Journal records without acknowledgement. */
  unacknowledged: number;
};

export const DEFAULT_SETTINGS: Settings = {
  rules: RULES,
  concurrency: 32,
  leaseMs: DEFAULTS.leaseMs,
  leaseMarginMs: DEFAULTS.heartbeatMs,
  skewMs: DEFAULTS.skewMs,
  graceMs: DEFAULTS.graceMs,
  startedAfterMs: DEFAULTS.startedAfterMs,
};

export const initialState = (settings: Partial<Settings> = {}): ExecutorState => ({
  settings: { ...DEFAULT_SETTINGS, ...settings },
  sessions: new Map(),
  open: null,
  stopping: null,
  clockOffMs: 0,
  right: null,
  partitions: new Map(),
  attempts: new Map(),
  waiting: new Set(),
  calling: new Set(),
  slotsUsed: 0,
  alone: null,
  past: new Map(),
  aborted: new Map(),
  quarantined: new Set(),
  suspects: new Set(),
  lastAppend: 0,
  sweptAt: -Infinity,
});

/** Whether anything is claimed, called or waits for the journal. */
export const isBusy = (state: ExecutorState): boolean => {
  for (const { phase, abandoned, unacknowledged } of state.attempts.values()) {
    if (phase === 'waiting') continue;
    if (!abandoned || unacknowledged > 0) return true;
  }
  return false;
};

export const partitionKey = (queue: string, partition: number): string => `${queue}#${partition}`;
