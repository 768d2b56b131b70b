import { evolve, type LiveRun, type Reply, type RunEvent, type RunState } from '@holdfast/events';

/** A run while decisions about it are being made: each event is applied at once, so the next decision sees it. */
export type RunDraft = {
  readonly runId: string;
  run: RunState | undefined;
  readonly events: DraftedEvent[];
  readonly replies: Reply[];
  /** Gives the next number of the lane. */
  readonly nextSeq: () => number;
};
export type DraftedEvent = {
  readonly seq: number;
  readonly event: RunEvent;
  readonly principal: string | null;
  readonly after: RunState;
};

export const draftOf = (runId: string, run: RunState | undefined, nextSeq: () => number): RunDraft => ({
  runId,
  run,
  events: [],
  replies: [],
  nextSeq,
});

/** Adds an event and answers its number in the lane. */
export const record = (draft: RunDraft, event: RunEvent, principal: string | null = null): number => {
  const seq = draft.nextSeq();
  const after = evolve(draft.run, event, seq);
  draft.run = after;
  draft.events.push({ seq, event, principal, after });
  return seq;
};

/** The run, while it is live (also while it has ended but something is left to settle). */
export const liveRun = (draft: RunDraft): LiveRun | undefined =>
  draft.run === undefined || draft.run.status === 'ended' ? undefined : draft.run;
