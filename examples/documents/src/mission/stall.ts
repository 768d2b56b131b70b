import type { Tally } from './tally.js';

/** Nothing has happened in history for too long. */
export class Stalled extends Error {
  override readonly name = 'Stalled';
}

/** Calls `stalled` once nothing was noted for `patienceMs`. */
export const watchForStall = (patienceMs: number, stalled: () => void): { note(): void; stop(): void } => {
  let lastAt = performance.now();
  const timer = setInterval(
    () => {
      if (performance.now() - lastAt < patienceMs) return;
      clearInterval(timer);
      stalled();
    },
    Math.min(1_000, patienceMs),
  );
  return { note: () => (lastAt = performance.now()), stop: () => clearInterval(timer) };
};

/** What a run that does not move waits for, in words. */
export const waitsFor = (tally: Tally, steps: number): string => {
  if (tally.acceptedAt === null) return 'it has not been accepted: no coordinator has taken its lane over yet';
  if (tally.waitingFor !== null) return `it waits for ${tally.waitingFor}`;
  if (tally.escalations > 0) return `a person is asked, ${tally.escalations} times so far: see the lines above`;
  const doubts = [...tally.openDoubts.values()].map(({ stepId }) => stepId);
  if (doubts.length > 0)
    return `${doubts.length} steps are in doubt and no verdict comes: ${doubts.slice(0, 5).join(', ')}`;
  return `${tally.stepsSucceeded} of ${steps} steps have succeeded and no outcome of the others comes`;
};
