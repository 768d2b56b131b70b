import { isRecovering, waitsForKey, type RunState } from '@holdfast/events';

export const statuses = ['running', 'waiting', 'recovering', 'paused', 'cancelling', 'closing', 'ended'] as const;
export type Status = (typeof statuses)[number];

/**
 * Where a run stands, in one word that follows from its history alone. `recovering`: a doubt holds it; `waiting`: for a
 * key, an executor or a person, and nothing is under way meanwhile; `closing`: over, with something left to find out.
 */
export const statusOf = (run: RunState): Status => {
  if (run.status === 'ended') return 'ended';
  if (run.end !== null) return 'closing';
  if (run.cancel !== null) return 'cancelling';
  if (run.paused !== null) return 'paused';
  if (isRecovering(run)) return 'recovering';
  if (waitsForKey(run)) return 'waiting';
  const moves =
    run.children.length > 0 || run.steps.some(({ attempts }) => attempts.some(({ status }) => status !== 'doubtful'));
  const waits = run.waiting !== null || Object.keys(run.escalations).length > 0;
  return waits && !moves ? 'waiting' : 'running';
};
