import {
  emptyShared,
  evolve,
  evolveShared,
  unreadable,
  type LaneEvent,
  type LiveRun,
  type Reply,
  type RunEvent,
  type RunState,
  type Shared,
  type SharedEvent,
} from '@holdfast/events';

/** What is decided for one batch of a lane, in the order of its numbers, and what the lane then holds beside its runs. */
export type LaneDraft = {
  /** The last number of the lane before the batch. */
  readonly seq: number;
  readonly batch: BatchEvent[];
  shared: Shared;
  /** The runs of the lane that are not over, as they are in the batch so far. */
  readonly openRuns: () => Iterable<LiveRun>;
  /** Tenants of which not all runs that wait were looked at yet. */
  readonly unserved: Set<string>;
};

/** An event of a run, or one of the lane itself. */
export type BatchEvent =
  { readonly runId: string; readonly drafted: DraftedEvent } | { readonly runId: null; readonly event: LaneEvent };

/** A run while decisions about it are being made: each event is applied at once, so the next decision sees it. */
export type RunDraft = {
  readonly runId: string;
  run: RunState | undefined;
  readonly events: DraftedEvent[];
  readonly replies: Reply[];
  readonly lane: LaneDraft;
  /** What was settled after the end of the run and its report does not say yet. */
  amendment: Amendment | null;
};
/** The first attempt that was settled and what became of it; `more` others were settled beside it. */
export type Amendment = {
  readonly stepId: string;
  readonly attempt: number;
  readonly change: string;
  readonly more: number;
};
export type DraftedEvent = {
  readonly seq: number;
  readonly event: RunEvent;
  readonly principal: string | null;
  readonly after: RunState;
};

export const laneDraftOf = (
  seq: number,
  shared: Shared = emptyShared,
  openRuns: LaneDraft['openRuns'] = () => [],
  unserved: ReadonlySet<string> = new Set(),
): LaneDraft => ({ seq, batch: [], shared, openRuns, unserved: new Set(unserved) });

export const draftOf = (runId: string, run: RunState | undefined, lane: LaneDraft): RunDraft => ({
  runId,
  run,
  events: [],
  replies: [],
  lane,
  amendment: null,
});

/** What could not be read back would stop the lane for good: the decision fails before it is history. */
const mustBeReadable = (event: RunEvent | SharedEvent): void => {
  const problem = unreadable(event);
  if (problem !== null) throw new Error(problem);
};

/** Adds an event of the run and answers its number in the lane. */
export const record = (draft: RunDraft, event: RunEvent, principal: string | null = null): number => {
  mustBeReadable(event);
  const seq = nextSeq(draft.lane);
  const after = evolve(draft.run, event, seq);
  const drafted = { seq, event, principal, after };
  draft.run = after;
  draft.events.push(drafted);
  draft.lane.batch.push({ runId: draft.runId, drafted });
  return seq;
};

/** Adds an event about what the lane holds beside its runs. */
export const recordShared = (lane: LaneDraft, event: SharedEvent): void => {
  mustBeReadable(event);
  lane.shared = evolveShared(lane.shared, event);
  lane.batch.push({ runId: null, event });
};

/** The number that the next event of the batch gets. */
export const nextSeq = ({ seq, batch }: LaneDraft): number => seq + batch.length + 1;

/** The run, while it is live (also while it has ended but something is left to settle). */
export const liveRun = (draft: RunDraft): LiveRun | undefined =>
  draft.run === undefined || draft.run.status === 'ended' ? undefined : draft.run;
