import { holdOffset, passCommand, passOffset } from './attempt.over.js';
import { refuse, reportOutcome } from './attempt.report.js';
import { covers, rangeFrom } from './claims.range.js';
import type { CommandRead, OrderRead } from './session.messages.js';
import { partitionKey, type Attempt, type Partition } from './session.state.js';
import { at, type Turn } from './turn.js';

/** Commands come in. What nobody may start any more is dropped unread. */
export const commandsRead = (turn: Turn, home: Partition, commands: readonly CommandRead[], next: number): void => {
  if (!home.seated || home.defect !== null || next <= home.commands.next) return;
  for (const { offset, orders } of commands) {
    if (offset < home.commands.next) continue;
    // Bytes that are no command wait for their place among the dead letters.
    if (orders === null) holdOffset(home, offset);
    else for (const order of orders) takeOrder(turn, home, offset, order);
  }
  home.commands.next = next;
  turn.touched.add(home);
};

const takeOrder = (turn: Turn, home: Partition, offset: number, { order, lane, refusal }: OrderRead): void => {
  const { state, time } = turn;
  const { attemptId, startBy, runId } = order;
  const { rules } = state.settings;
  const known = state.attempts.get(attemptId);
  if (known !== undefined && (rules.oneCallPerClaim || isUnderWay(known))) return joinKnown(turn, home, known, offset);
  if (rules.dropPastStartBy && time.now >= startBy) return;
  if (state.past.has(attemptId) && rules.oneCallPerClaim) return;
  if (state.aborted.has(runId) && rules.checksBeforeCall) return;
  const attempt = newAttempt(home, { order, lane, refusal }, offset);
  state.attempts.set(attemptId, attempt);
  holdOffset(home, offset);
  if (refusal !== null) return refuse(turn, attempt, refusal);
  if (order.policy === 'pure' && state.quarantined.has(attemptId)) return reportOutcome(turn, attempt, WORKER_DIED);
  if (order.policy !== 'pure') needClaims(turn, home, attempt);
  if (!home.uncovered.has(attemptId)) state.waiting.add(attemptId);
};

const WORKER_DIED = {
  outcome: 'failed',
  failure: { code: 'worker_died', message: 'the worker process died each time while this call was under way' },
  retry: 'never',
} as const;

const isUnderWay = ({ phase }: Attempt): boolean => phase === 'waiting' || phase === 'claiming';

/** Another copy of a command in hand; it passes with the first one. */
const joinKnown = (turn: Turn, home: Partition, known: Attempt, offset: number): void => {
  holdOffset(home, offset);
  known.offsets.push(offset);
  const firstClaimKnown = known.order.policy !== 'pure' && known.session !== null && !isUnderWay(known);
  if (firstClaimKnown) passCommand(turn, known);
};

const newAttempt = (home: Partition, { order, lane }: OrderRead, offset: number): Attempt => ({
  order,
  lane,
  partitionKey: partitionKey(home.queue, home.partition),
  phase: 'waiting',
  session: null,
  deadline: null,
  offsets: [offset],
  startedAt: null,
  startedSaid: false,
  abortSaid: false,
  slot: false,
  abandoned: false,
  unacknowledged: 0,
});

/** Makes sure that the claims from the order's `claimsFrom` on are read, from here up and, for an older order, below. */
const needClaims = (turn: Turn, home: Partition, { order }: Attempt): void => {
  home.range ??= rangeFrom(order.claimsFrom);
  if (!covers(home.range, order) && turn.state.settings.rules.claimsFromObeyed) home.uncovered.add(order.attemptId);
  if (home.uncovered.size > 0) readEarlier(turn, home);
  if (home.followsClaims) return;
  home.followsClaims = true;
  turn.out.push({ type: 'follow-claims', ...at(home), from: home.range.next });
};

/** Attempts whose claims are all within reach now may be taken up; for the others the range goes further down. */
export const readEarlier = (turn: Turn, home: Partition): void => {
  const { state, out } = turn;
  const { range } = home;
  if (range === null) return;
  let lowest = range.from;
  for (const id of home.uncovered) {
    const order = state.attempts.get(id)?.order;
    if (order === undefined || covers(range, order)) {
      home.uncovered.delete(id);
      if (order !== undefined) state.waiting.add(id);
    } else if (order.claimsFrom >= range.lost) lowest = Math.min(lowest, order.claimsFrom);
    // Otherwise part of its claims is gone: it waits here, never run, until its `startBy` ends it.
  }
  if (lowest === range.from || range.lowering !== null) return;
  range.lowering = lowest;
  out.push({ type: 'read-claims', ...at(home), from: lowest, to: range.from });
};

export const deadLetterWritten = (turn: Turn, home: Partition, offset: number): void => passOffset(turn, home, offset);
