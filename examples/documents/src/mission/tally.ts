import type { RunEvent, RunEventData } from '@holdfast/events';
import { isFiling, missionStep } from '../plan.js';

/** One event of the run as history has it. `at`: epoch ms at which it was recorded. */
export type Fact = { readonly event: RunEvent; readonly seq: number; readonly at: number };

export type OpenDoubt = { readonly seq: number; readonly stepId: string; readonly holdsRun: boolean };
/** A span in which no effect may begin. `until` is null while it lasts. */
export type Hold = { readonly from: number; until: number | null };

/** What the mission knows of its run, from history alone. */
export type Tally = {
  stepsSucceeded: number;
  /** Documents whose filing has succeeded in history, by their number. */
  readonly filed: Set<number>;
  readonly openDoubts: Map<string, OpenDoubt>;
  readonly settled: { applied: number; absent: number; rerun: number };
  /** Times that a tool was asked and could not tell. */
  probes: number;
  readonly holds: Hold[];
  escalations: number;
  acceptedAt: number | null;
  lastAt: number | null;
  end: { readonly reason: string; readonly detail: string; readonly at: number } | null;
  waitingFor: string | null;
};

export const newTally = (): Tally => ({
  stepsSucceeded: 0,
  filed: new Set(),
  openDoubts: new Map(),
  settled: { applied: 0, absent: 0, rerun: 0 },
  probes: 0,
  holds: [],
  escalations: 0,
  acceptedAt: null,
  lastAt: null,
  end: null,
  waitingFor: null,
});

/** Counts one more fact. The mission looks at the few that it tells about; the others only show that work goes on. */
export const count = (tally: Tally, { event, seq, at }: Fact): void => {
  tally.lastAt = at;
  switch (event.type) {
    case 'RunAccepted':
      tally.acceptedAt = at;
      break;
    case 'StepScheduled':
      tally.waitingFor = null;
      break;
    case 'StepSucceeded':
      stepSucceeded(tally, event.data, at);
      break;
    case 'DoubtOpened':
      doubtOpened(tally, event.data, seq, at);
      break;
    case 'ProbeRecorded':
      tally.probes += 1;
      break;
    case 'DoubtSettled':
      tally.settled[event.data.verdict] += 1;
      doubtClosed(tally, event.data.stepId, at);
      break;
    case 'EscalationOpened':
      tally.escalations += 1;
      break;
    case 'RunWaiting':
      tally.waitingFor = event.data.waitingFor;
      break;
    case 'RunEnded':
      tally.end = { reason: event.data.reason, detail: event.data.detail, at };
      break;
    default:
      break;
  }
};

const stepSucceeded = (tally: Tally, { stepId }: RunEventData<'StepSucceeded'>, at: number): void => {
  tally.stepsSucceeded += 1;
  const step = missionStep(stepId);
  if (step !== undefined && isFiling(stepId)) tally.filed.add(step.index);
  doubtClosed(tally, stepId, at);
};

const doubtOpened = (tally: Tally, data: RunEventData<'DoubtOpened'>, seq: number, at: number): void => {
  const known = tally.openDoubts.get(data.stepId);
  const holdsRun = data.holds === 'run' || known?.holdsRun === true;
  if (holdsRun && !isHeld(tally)) tally.holds.push({ from: at, until: null });
  tally.openDoubts.set(data.stepId, { seq, stepId: data.stepId, holdsRun });
};

const doubtClosed = (tally: Tally, stepId: string, at: number): void => {
  if (!tally.openDoubts.delete(stepId)) return;
  const hold = tally.holds.at(-1);
  if (hold?.until === null && !isHeld(tally)) hold.until = at;
};

/** Whether a doubt holds the whole run at the moment. */
export const isHeld = (tally: Tally): boolean => [...tally.openDoubts.values()].some(({ holdsRun }) => holdsRun);
