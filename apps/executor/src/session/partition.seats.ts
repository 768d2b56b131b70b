import { forget } from './attempt.over.js';
import { judgeAll } from './attempt.judge.js';
import { readEarlier } from './attempt.take.js';
import { goDown, goOn } from './claims.range.js';
import { stopServing } from './partition.defect.js';
import type { ClaimsRead } from './session.messages.js';
import type { Attempt, Partition } from './session.state.js';
import { at, type Turn } from './turn.js';

/** Serves the partition from the command position `from` on. What is known of its claims stays known. */
export const seatGained = (turn: Turn, home: Partition, from: number): void => {
  if (home.seated || home.defect !== null) return;
  home.seated = true;
  home.commands = { next: from, pending: new Map(), reported: null };
  for (const attempt of attemptsOf(turn, home)) attempt.offsets = [];
  if (!turn.state.settings.rules.rangeNeverShortened) home.range = null;
  turn.out.push({ type: 'follow-commands', ...at(home), from });
  if (home.range === null || home.followsClaims) return;
  home.followsClaims = true;
  turn.out.push({ type: 'follow-claims', ...at(home), from: home.range.next });
};

/** What was not claimed is left to whoever serves the partition now; what was claimed is finished. */
export const seatLost = (turn: Turn, home: Partition): void => {
  if (!home.seated) return;
  home.seated = false;
  home.commands.pending.clear();
  for (const attempt of attemptsOf(turn, home)) {
    attempt.offsets = [];
    const unsent = attempt.phase === 'claiming' && home.toClaim.includes(attempt.order.attemptId);
    if (attempt.phase === 'waiting' || unsent) forget(turn, attempt, false);
  }
  if (home.defect === null) turn.out.push({ type: 'unfollow-commands', ...at(home) });
  turn.touched.add(home);
};

export const claimsRead = (turn: Turn, home: Partition, read: ClaimsRead): void => {
  if (home.range === null || home.defect !== null) return;
  const touched = goOn(turn.state, home.range, read, turn.time);
  if (touched !== null) return judgeAll(turn, touched);
  stopServing(turn, home, `claims were read from ${read.from}, but only those up to ${home.range.next} are known`);
};

export const earlierClaimsRead = (turn: Turn, home: Partition, read: ClaimsRead): void => {
  if (home.range === null) return;
  const touched = goDown(turn.state, home.range, read, turn.time);
  readEarlier(turn, home);
  judgeAll(turn, touched);
};

/** The log keeps the claims only from `start` on. What would need more is never run, and nothing is said about it. */
export const claimsLost = (turn: Turn, home: Partition, start: number): void => {
  const { range } = home;
  if (range === null) return;
  range.lowering = null;
  if (start > range.next) {
    for (const attempt of attemptsOf(turn, home)) {
      const open = attempt.phase === 'waiting' || attempt.phase === 'claiming';
      if (open && attempt.order.policy !== 'pure') forget(turn, attempt, true);
    }
    home.range = null;
    home.followsClaims = false;
    return;
  }
  range.lost = Math.max(range.lost, start);
  readEarlier(turn, home);
};

/** Says up to where this process is done with the commands, and stops listening where nothing is waited for. */
export const settle = (turn: Turn, home: Partition): void => {
  const { state, out } = turn;
  if (!home.seated) {
    if (!home.followsClaims || home.append !== null || attemptsOf(turn, home).some(isClaiming)) return;
    home.followsClaims = false;
    out.push({ type: 'unfollow-claims', ...at(home) });
    return;
  }
  if (home.defect !== null || state.stopping?.said === true) return;
  const { pending, next, reported } = home.commands;
  const [lowest = next] = pending.keys();
  if (lowest === reported) return;
  home.commands.reported = lowest;
  out.push({ type: 'report-position', ...at(home), next: lowest });
};

const isClaiming = ({ phase }: Attempt): boolean => phase === 'claiming';

const attemptsOf = ({ state }: Turn, home: Partition): Attempt[] =>
  [...state.attempts.values()].filter(({ partitionKey }) => state.partitions.get(partitionKey) === home);
