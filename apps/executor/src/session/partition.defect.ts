import { forget } from './attempt.over.js';
import type { Partition } from './session.state.js';
import { at, type Turn } from './turn.js';

/** The log contradicts itself here: nothing that is not in its call is run, and nothing is said about it. */
export const stopServing = (turn: Turn, home: Partition, detail: string): void => {
  if (home.defect !== null) return;
  home.defect = detail;
  home.append = null;
  for (const attempt of turn.state.attempts.values()) {
    const started = attempt.phase === 'calling' || attempt.phase === 'reporting';
    if (!started && turn.state.partitions.get(attempt.partitionKey) === home) forget(turn, attempt, true);
  }
  if (home.seated) turn.out.push({ type: 'unfollow-commands', ...at(home) });
  if (home.followsClaims) turn.out.push({ type: 'unfollow-claims', ...at(home) });
  home.followsClaims = false;
  turn.out.push({ type: 'partition-defect', ...at(home), detail });
};
