import { argsOf, type Json } from '@holdfast/programs';
import { idempotencyKey } from '../ids.js';
import { jsonBytes } from '../json.js';
import { LIMITS } from '../limits.js';
import type { RunEventData } from './run.events.js';
import type { LiveRun } from './run.state.js';

/** What a run keeps so that its effects can be undone. */
export type Undo = {
  /** Wished for whenever the run is cancelled, unless the cancel says otherwise. */
  readonly onCancel: boolean;
  /** Applied effects whose tools say how to undo them, in the order in which they were known to be applied. */
  readonly list: readonly Undoable[];
  readonly bytes: number;
  /** All such effects are in the list. */
  readonly whole: boolean;
  readonly status: 'none' | 'running' | 'over';
  readonly ticket: string | null;
  readonly runId: string | null;
  readonly deadlineAt: number;
  readonly undone: number;
  readonly outcome: string;
  /** Effects of runs that it has begun and that have ended by themselves: nobody undoes those. */
  readonly below?: number;
  /** The run was killed after its cancel: nothing is undone. */
  readonly killed?: true;
};

export type Undoable = {
  readonly stepId: string;
  readonly tool: string;
  /** The tool that undoes it. */
  readonly by: string;
  readonly args: Json;
  readonly result: Json;
  readonly key: string;
};

/** Null where no tool of the run can be undone and nobody asks for it: nothing is kept then. */
export const undoOf = ({ tools, compensate }: RunEventData<'RunAccepted'>): Undo | null => {
  if (compensate === undefined && Object.values(tools).every((pin) => pin.compensate === undefined)) return null;
  const none = { status: 'none', ticket: null, runId: null, deadlineAt: 0, undone: 0, outcome: '' } as const;
  return { onCancel: compensate === 'on_cancel', list: [], bytes: 0, whole: true, ...none };
};

/** The run once an effect of it is known to be applied: seen from before its step is closed. */
export const noteUndoable = (run: LiveRun, stepId: string, result: Json): Undo | null => {
  const { undo } = run;
  const step = run.steps.find((known) => known.stepId === stepId);
  const by = step && run.tools[step.tool]?.compensate;
  if (undo === null || step === undefined || by === undefined) return undo;
  const resolved = argsOf(run.program, run.input, run.progress, stepId);
  if ('problem' in resolved) return { ...undo, whole: false };
  const { args } = resolved;
  const bytes = undo.bytes + jsonBytes(args) + jsonBytes(result);
  if (undo.list.length >= LIMITS.undoableMax || bytes > LIMITS.undoableBytes) return { ...undo, whole: false };
  const entry = { stepId, tool: step.tool, by, args, result, key: idempotencyKey(run.runKey, stepId) };
  return { ...undo, bytes, list: [...undo.list, entry] };
};

/** A run that it has begun is over. One that was cancelled undoes its effects itself. */
export const noteBelow = ({ undo }: LiveRun, { reason, totals }: RunEventData<'ChildEnded'>): Undo | null => {
  const applied = totals?.applied ?? 0;
  return undo === null || reason === 'cancelled' || applied === 0
    ? undo
    : { ...undo, below: (undo.below ?? 0) + applied };
};

/** Whether effects of the run are to be undone, now or as soon as nothing is in doubt. */
export const awaitsCompensation = (run: LiveRun): boolean => run.end?.reason === 'cancelled' && isToBeUndone(run);

/** Whether there is something to be undone when the run has ended as cancelled. */
export const isToBeUndone = ({ undo, cancel }: LiveRun): boolean => {
  if (undo === null || cancel === null || undo.status === 'over') return false;
  return (cancel.compensate ?? undo.onCancel) && (undo.list.length > 0 || !undo.whole || (undo.below ?? 0) > 0);
};

/** Whether effects are undone is asked only of a run that was cancelled. */
export const undoOfEnded = ({ undo, cancel }: LiveRun, { cause }: RunEventData<'RunEnded'>): Undo | null =>
  undo === null || cancel === null || cause?.kind !== 'kill' ? undo : { ...undo, killed: true };

/** The key of a run is for others only when its effects are undone. */
export const keepsKey = (run: LiveRun): boolean => run.end?.keepsKey === true && awaitsCompensation(run);

export const applyCompensationStarted = (run: LiveRun, data: RunEventData<'CompensationStarted'>): LiveRun => {
  const { undoRunId: runId, ticket, deadlineAt } = data;
  return run.undo === null ? run : { ...run, undo: { ...run.undo, status: 'running', runId, ticket, deadlineAt } };
};

export const applyCompensationEnded = (run: LiveRun, data: RunEventData<'CompensationEnded'>): LiveRun => {
  const { undone, outcome } = data;
  return run.undo === null ? run : { ...run, undo: { ...run.undo, status: 'over', undone, outcome } };
};
