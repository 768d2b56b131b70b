import type { StepOrder } from '@holdfast/contracts';
import { surelyPassed } from './lease.js';
import type { ClaimRead, ClaimsRead } from './session.messages.js';
import type { ClaimData, ClaimsRange, ExecutorState, FirstClaim, OwnClaims, Time } from './session.state.js';

/** A range that knows nothing yet and will know everything from `from` on. */
export const rangeFrom = (from: number): ClaimsRange => ({
  from,
  next: from,
  first: new Map(),
  unreadable: [],
  mine: [],
  lowering: null,
  lost: 0,
});

/** Whether every claim for the order lies in the range, as far as it is read. */
export const covers = (range: ClaimsRange, order: StepOrder): boolean => range.from <= order.claimsFrom;

/** Whether a record that nobody here can read stands where a claim for the order may be, before `first`. */
export const isObscured = (range: ClaimsRange, order: StepOrder, first: FirstClaim): boolean =>
  range.unreadable.some((offset) => offset >= order.claimsFrom && offset < first.offset);

/** Goes on with what was followed. Returns the attempts that may have a first claim now, or null where the records leave a hole. */
export const goOn = (state: ExecutorState, range: ClaimsRange, read: ClaimsRead, time: Time): string[] | null => {
  if (read.from > range.next) return null;
  const touched: string[] = [];
  for (const claim of read.claims) {
    if (claim.offset < range.next) continue;
    const id = take(state, range, claim, time);
    if (id !== null) touched.push(id);
  }
  range.next = Math.max(range.next, read.next);
  return [...touched, ...joinOwn(state, range, time)];
};

/** Adds what lies directly below the range; an earlier first claim takes the place of a later one. */
export const goDown = (state: ExecutorState, range: ClaimsRange, read: ClaimsRead, time: Time): string[] => {
  range.lowering = null;
  if (read.next < range.from || read.from >= range.from) return [];
  const earlier = rangeFrom(read.from);
  for (const claim of read.claims) if (claim.offset < range.from) take(state, earlier, claim, time);
  for (const [id, first] of earlier.first) range.first.set(id, first);
  range.unreadable.push(...earlier.unreadable);
  range.from = read.from;
  return [...earlier.first.keys()];
};

/**
 * Adds an own acknowledged append. Appends of one log are contiguous, so when it landed where the range ends, nothing
 * lies between and it needs no reading; otherwise it waits until what lies before it was read.
 */
export const addOwn = (state: ExecutorState, range: ClaimsRange, own: OwnClaims, time: Time): string[] => {
  if (!state.settings.rules.gapIsRead)
    return own.claims.flatMap((data, i) => take(state, range, asRead(own, data, i), time) ?? []);
  range.mine.push(own);
  range.mine.sort((a, b) => a.offset - b.offset);
  return joinOwn(state, range, time);
};

const joinOwn = (state: ExecutorState, range: ClaimsRange, time: Time): string[] => {
  const touched: string[] = [];
  for (let own = range.mine[0]; own !== undefined && own.offset <= range.next; own = range.mine[0]) {
    range.mine.shift();
    for (const [i, data] of own.claims.entries()) {
      if (own.offset + i < range.next) continue;
      const id = take(state, range, asRead(own, data, i), time);
      if (id !== null) touched.push(id);
    }
    range.next = Math.max(range.next, own.offset + own.claims.length);
  }
  return touched;
};

const asRead = (own: OwnClaims, data: ClaimData, i: number): ClaimRead => ({
  offset: own.offset + i,
  claim: { type: 'AttemptClaimed', data },
});

const take = (state: ExecutorState, range: ClaimsRange, { offset, claim }: ClaimRead, time: Time): string | null => {
  if (claim === null) {
    range.unreadable.push(offset);
    return null;
  }
  if (claim.type === 'PartitionLooked') return null;
  const { rules, skewMs } = state.settings;
  const { attemptId, startBy } = claim.data;
  if (claim.type === 'AttemptClosed' && !rules.closedObeyed) return null;
  if (range.first.has(attemptId) && rules.firstClaimWins) return attemptId;
  // No copy of such a command is ever looked at again.
  if (startBy + skewMs < surelyPassed(state, time) && !state.attempts.has(attemptId)) return null;
  const holder =
    claim.type === 'AttemptClosed'
      ? { session: null, deadline: 0 }
      : { session: claim.data.session, deadline: claim.data.deadline };
  range.first.set(attemptId, { ...holder, startBy, offset });
  return attemptId;
};
