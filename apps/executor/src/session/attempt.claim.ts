import { backToWaiting, begin, reserve } from './attempt.call.js';
import { forget } from './attempt.over.js';
import { judge, judgeAll } from './attempt.judge.js';
import { addOwn } from './claims.range.js';
import { mayTake } from './lease.js';
import { stopServing } from './partition.defect.js';
import type { ClaimsAnswer } from './session.messages.js';
import type { Attempt, ClaimAppend, ClaimData, Partition } from './session.state.js';
import { at, homeOf, type Turn } from './turn.js';

/** Starts what can start at once, oldest first: `pure` attempts their call, all others a claim. */
export const takeUp = (turn: Turn): void => {
  const { state, time } = turn;
  const { rules, concurrency } = state.settings;
  if (state.waiting.size === 0 || state.alone !== null || !mayTake(state, time)) return;
  for (const id of state.waiting) {
    if (state.slotsUsed >= concurrency && rules.claimOnlyWhatCanStart) return;
    const attempt = state.attempts.get(id);
    if (attempt === undefined || state.open === null) continue;
    if (rules.dropPastStartBy && time.now >= attempt.order.startBy) forget(turn, attempt, false);
    else if (!standsAlone(turn, attempt)) takeUpOne(turn, attempt, state.open);
    else {
      // Nobody overtakes it, or it would never find the worker empty.
      if (state.slotsUsed > 0) return;
      takeUpOne(turn, attempt, state.open);
      if (!attempt.slot) continue;
      state.alone = id;
      return;
    }
  }
};

const standsAlone = ({ state }: Turn, { order }: Attempt): boolean =>
  order.alone || state.suspects.has(order.attemptId);

const takeUpOne = (turn: Turn, attempt: Attempt, session: string): void => {
  if (attempt.order.policy === 'pure' || !turn.state.settings.rules.claimBeforeCall) {
    reserve(turn, attempt, session);
    return begin(turn, attempt);
  }
  judge(turn, attempt);
  if (attempt.phase !== 'waiting' || !turn.state.attempts.has(attempt.order.attemptId)) return;
  reserve(turn, attempt, session);
  attempt.phase = 'claiming';
  const home = homeOf(turn, attempt);
  home.toClaim.push(attempt.order.attemptId);
  turn.touched.add(home);
};

/** Well below what a batch may hold. */
const CLAIMS_MAX = 500;

/** One append at a time and partition; what is claimed meanwhile goes with the next. */
export const sendClaims = (turn: Turn, home: Partition): void => {
  if (home.append !== null || home.toClaim.length === 0) return;
  const { state } = turn;
  const claims: ClaimData[] = [];
  for (const id of home.toClaim.splice(0, CLAIMS_MAX)) {
    const attempt = state.attempts.get(id);
    if (attempt === undefined) continue;
    if (mayTake(state, turn.time) && attempt.session === state.open) claims.push(claimOf(attempt));
    else backToWaiting(turn, attempt);
  }
  if (claims.length === 0) return;
  state.lastAppend += 1;
  home.append = { id: state.lastAppend, claims, above: 0, tries: 0 };
  send(turn, home, home.append);
};

const send = ({ out }: Turn, home: Partition, append: ClaimAppend): void => {
  const { id, claims, tries } = append;
  home.append = { ...append, above: home.range?.next ?? 0, tries: tries + 1 };
  out.push({ type: 'append-claims', ...at(home), append: id, claims, tries });
};

const claimOf = ({ order, session, deadline }: Attempt): ClaimData => ({
  attemptId: order.attemptId,
  session: session ?? '',
  deadline: deadline ?? 0,
  startBy: order.startBy,
  argsHash: order.argsHash,
});

export const claimsAnswered = (turn: Turn, home: Partition, id: number, answer: ClaimsAnswer): void => {
  const { append } = home;
  turn.touched.add(home);
  if (append === null || append.id !== id) return;
  if (answer.outcome === 'appended') return claimsAppended(turn, home, append, answer.offset);
  if (!turn.state.settings.rules.repeatUntilSeen) return giveUp(turn, home, append);
  const { attempts } = turn.state;
  if (append.claims.every(({ attemptId: id }) => !attempts.has(id) || isSeen(home, id))) home.append = null;
  else repeat(turn, home, append);
};

/** What a lost answer leaves open is decided by sending the same again, never by looking and not finding. */
const repeat = (turn: Turn, home: Partition, append: ClaimAppend): void => {
  const { rules } = turn.state.settings;
  const claims = rules.sameDeadlineInRepeats ? append.claims : append.claims.map((claim) => postponed(turn, claim));
  send(turn, home, { ...append, claims });
};

const postponed = ({ state, time }: Turn, claim: ClaimData): ClaimData => {
  const attempt = state.attempts.get(claim.attemptId);
  if (attempt === undefined) return claim;
  attempt.deadline = time.now + attempt.order.timeoutMs;
  return { ...claim, deadline: attempt.deadline };
};

const claimsAppended = (turn: Turn, home: Partition, append: ClaimAppend, offset: number): void => {
  const { state, time } = turn;
  home.append = null;
  const lost = lostRecords(turn, append, offset);
  if (lost !== null) return stopServing(turn, home, lost);
  if (home.range === null) return;
  judgeAll(turn, addOwn(state, home.range, { offset, claims: append.claims }, time));
};

/** An append lands above everything that was in the log before, or what was there is gone. */
const lostRecords = ({ state }: Turn, { claims, above }: ClaimAppend, offset: number): string | null => {
  if (!state.settings.rules.lostRecordsAreDefects) return null;
  if (offset < above) return `claims landed at ${offset}, below ${above} which was read before: records are gone`;
  for (const [i, { attemptId }] of claims.entries()) {
    const from = state.attempts.get(attemptId)?.order.claimsFrom ?? 0;
    if (offset + i < from) return `the claim for ${attemptId} landed at ${offset + i}, below its claimsFrom ${from}`;
  }
  return null;
};

const isSeen = (home: Partition, attemptId: string): boolean => home.range?.first.has(attemptId) ?? true;

const giveUp = (turn: Turn, home: Partition, append: ClaimAppend): void => {
  home.append = null;
  for (const { attemptId } of append.claims) {
    const attempt = turn.state.attempts.get(attemptId);
    if (attempt !== undefined) forget(turn, attempt, true);
  }
};
