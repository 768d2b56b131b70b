import { begin } from './attempt.call.js';
import { forget } from './attempt.over.js';
import { skip } from './attempt.report.js';
import { covers, isObscured } from './claims.range.js';
import { stopServing } from './partition.defect.js';
import type { Attempt, ClaimsRange, FirstClaim } from './session.state.js';
import { homeOf, type Turn } from './turn.js';

/** Something became known about the claims of these attempts. */
export const judgeAll = (turn: Turn, attemptIds: readonly string[]): void => {
  for (const id of attemptIds) {
    const attempt = turn.state.attempts.get(id);
    if (attempt !== undefined) judge(turn, attempt);
  }
};

/** Who may act, as soon as the first claim is known: this session once, or somebody else, or nobody. */
export const judge = (turn: Turn, attempt: Attempt): void => {
  if (attempt.phase !== 'waiting' && attempt.phase !== 'claiming') return;
  const home = homeOf(turn, attempt);
  const { range } = home;
  const first = range?.first.get(attempt.order.attemptId);
  if (range === null || first === undefined) return;
  const lost = lostRecords(turn, attempt, first);
  if (lost !== null) return stopServing(turn, home, lost);
  if (!mayJudge(turn, range, attempt)) return;
  // What cannot be read may be an earlier claim: never run, never testify.
  if (isObscured(range, attempt.order, first)) return forget(turn, attempt, true);
  if (first.session !== null && isOwn(turn, attempt, first.session)) {
    attempt.session = first.session;
    attempt.deadline = first.deadline;
    return begin(turn, attempt);
  }
  if (!turn.state.settings.rules.onlyHolderTestifies) return skip(turn, attempt, 'held by another session');
  forget(turn, attempt, attempt.phase === 'claiming');
};

/** Whoever has claimed it: no claim lies where the log had ended before there was a command, or records are gone. */
const lostRecords = ({ state }: Turn, { order }: Attempt, { offset }: FirstClaim): string | null => {
  const { attemptId, claimsFrom } = order;
  if (!state.settings.rules.lostRecordsAreDefects || offset >= claimsFrom) return null;
  return `a claim for ${attemptId} lies at ${offset}, below its claimsFrom ${claimsFrom}`;
};

const mayJudge = (turn: Turn, range: ClaimsRange, { order }: Attempt): boolean => {
  const { claimsFromObeyed, rangeNeverShortened } = turn.state.settings.rules;
  return !claimsFromObeyed || !rangeNeverShortened || covers(range, order);
};

const isOwn = ({ state }: Turn, attempt: Attempt, session: string): boolean =>
  attempt.phase === 'claiming'
    ? session === attempt.session
    : !state.settings.rules.oneCallPerClaim && state.sessions.has(session);
