import { between, randomOf } from '../seed.js';

/** How the office treats one call. Nothing but the seed, the document and the number of the call decides. */
export type Conduct = {
  /**
   * `answers`: applies and says so. `drops`: applies, then cuts the connection. `refuses`: 503 before anything is
   * applied. `slow`: takes its time before it applies. `late`: applies, but answers only after any sensible client has
   * given up.
   */
  readonly fate: 'answers' | 'drops' | 'refuses' | 'slow' | 'late';
  /** Before the call is applied or refused. */
  readonly beforeMs: number;
  /** Between applying and answering. */
  readonly afterMs: number;
  /** Whether the call is applied although its client has gone in the meantime. */
  readonly appliesWhenGone: boolean;
};

export type Manners = {
  readonly seed: number;
  /** A late answer comes this long after the call at the earliest; longer than the client's time-out. */
  readonly lateMs: number;
};

const HOLD_MIN_MS = 5;
const HOLD_MAX_MS = 50;
const LATE_SPREAD_MS = 500;
/** Well below the settle window of whoever files: what is slow must have landed when the office is asked. */
const SLOW_MIN_MS = 150;
const SLOW_MAX_MS = 400;
const SHARES = [
  ['drops', 0.02],
  ['refuses', 0.02],
  ['slow', 0.03],
  ['late', 0.001],
] as const;

/** What happens to the `call`-th call (from 0) about a document. */
export const conductOf = ({ seed, lateMs }: Manners, document: string, call: number): Conduct => {
  const random = randomOf(seed, document, call);
  const fate = fateOf(random());
  const holdMs = between(random, HOLD_MIN_MS, HOLD_MAX_MS);
  const appliesWhenGone = random() < 0.5;
  // Neither end of the wait is empty, and what would be dropped waits for longer before it is applied: so a client that
  // dies leaves calls of both kinds behind, filed and never to be filed.
  const before = (appliesWhenGone ? 0.1 : 0.6) + 0.3 * random();
  const shortMs = Math.min(holdMs - 1, Math.max(1, Math.round(holdMs * before)));
  const beforeMs = fate === 'slow' ? between(random, SLOW_MIN_MS, SLOW_MAX_MS) : shortMs;
  const extraMs = fate === 'late' ? lateMs + between(random, 0, LATE_SPREAD_MS) : 0;
  return { fate, beforeMs, afterMs: holdMs - shortMs + extraMs, appliesWhenGone };
};

const fateOf = (roll: number): Conduct['fate'] => {
  let below = 0;
  for (const [fate, share] of SHARES) {
    below += share;
    if (roll < below) return fate;
  }
  return 'answers';
};
