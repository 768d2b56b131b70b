import { isLaneEvent, type LaneState, type RunEvent } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import type { EventRow } from '../store/tables.js';
import { projectConflict } from './attempt.project.js';
import { projectBudgets } from './budget.project.js';
import type { Changes } from './changes.js';
import { projectDoubts } from './doubt.project.js';
import type { LaneView, RunView } from './lane.view.js';
import { projectQuestions } from './question.project.js';
import { newRunView, projectRun, runRow } from './run.project.js';
import { projectSteps } from './step.project.js';
import type { View } from './projection.js';
import type { Told, ToldOfRun } from './told.js';

/**
 * Takes in a valid record; `lane` holds it already. Which rows follow from it is asked by `takeChanges`, as often or as
 * seldom as one likes: a row is what its last record makes it.
 */
export const project = (view: LaneView, told: Told, lane: LaneState): void => {
  const { record, offset, at } = told;
  const { event, subject } = record;
  view.events.push(eventRow(view.lane, told));
  if (isLaneEvent(event)) projectBudgets(view, told, lane);
  else if (subject !== null) {
    const { seq } = record.lane;
    const toldOfRun = { event, lane: view.lane, seq, offset, at, principal: record.principal };
    projectRunEvent(view, subject, toldOfRun, lane);
  }
  view.laneRow = {
    lane: view.lane,
    offset,
    seq: lane.seq,
    epoch: lane.epoch,
    owner: lane.owner,
    at: lane.at,
    writtenAt: at,
    positions: { ...lane.positions },
    runsOpen: view.runs.size,
    runsTotal: view.runsTotal,
  };
};

const eventRow = (lane: number, { record, offset, at }: Told): EventRow => {
  const { type, data } = record.event;
  return {
    lane,
    seq: record.lane.seq,
    offset,
    runId: record.subject,
    type,
    at,
    stepId: 'stepId' in data && typeof data.stepId === 'string' ? data.stepId : null,
    principal: record.principal,
    data: data as Json,
  };
};

const projectRunEvent = (view: LaneView, runId: string, told: ToldOfRun, lane: LaneState): void => {
  const run = told.event.type === 'RunAccepted' ? accept(view, told, lane) : view.runs.get(runId);
  const state = lane.runs.get(runId)?.run;
  if (run === undefined || state === undefined) return;
  const before = run.state;
  run.state = state;
  projectSteps(view, run, told, before);
  projectConflict(view, run, told);
  projectDoubts(view, run, told);
  projectQuestions(view, run, told);
  projectRun(run, told);
  view.touched.set(runId, run);
  if (state.status === 'ended') forget(view, run);
};

const accept = (view: LaneView, told: ToldOfRun, lane: LaneState): RunView | undefined => {
  const { data } = told.event as Extract<RunEvent, { type: 'RunAccepted' }>;
  const state = lane.runs.get(data.runId)?.run;
  if (state === undefined || state.status === 'ended') return undefined;
  if (view.touched.has(data.runId)) dropLife(view, data.runId, told.seq);
  const run = newRunView(data, state, told);
  view.runs.set(data.runId, run);
  view.runsTotal += 1;
  view.accepted.push({ runId: data.runId, seq: told.seq, offset: told.offset });
  return run;
};

/** An id that was forgotten is used again: rows of the run that had it before are not written any more. */
const dropLife = (view: LaneView, runId: string, before: number): void => {
  const isOfIt = (row: { readonly runId: string }) => row.runId === runId;
  for (const rows of [view.steps, view.attempts, view.doubts, view.questions]) rows.drop(isOfIt);
  view.events = view.events.filter((row) => row.runId !== runId || row.seq >= before);
  view.accepted = view.accepted.filter((one) => one.runId !== runId);
};

/** Nothing is said about a run that is over: what is known of it costs nothing from then on. */
const forget = (view: LaneView, run: RunView): void => {
  for (const key of run.finished) view.attempts.forget(key);
  for (const key of run.left) view.steps.forget(key);
  view.runs.delete(run.runId);
};

/** The rows that have changed since this was asked last, each as of the last record that is about it. */
export const takeChanges = (view: LaneView): Changes => {
  const { events, accepted, touched, laneRow } = view;
  view.events = [];
  view.accepted = [];
  view.touched = new Map();
  view.laneRow = null;
  return {
    accepted,
    rows: {
      events,
      runs: [...touched.values()].map((run) => runRow(run, view.lane)),
      steps: view.steps.take(),
      attempts: view.attempts.take(),
      doubts: view.doubts.take(),
      questions: view.questions.take(),
      budgets: view.budgets.take(),
      lanes: laneRow === null ? [] : [laneRow],
    },
  };
};

/** Forgets what has changed: it is in the database already. Cheaper than to take it. */
export const dropChanges = (view: LaneView): void => {
  view.events = [];
  view.accepted = [];
  view.touched = new Map();
  view.laneRow = null;
  for (const rows of [view.steps, view.attempts, view.doubts, view.questions, view.budgets]) rows.take();
};

/** A lane's view as one that a projection can ask. */
export const asked = (view: LaneView): View => ({ take: () => takeChanges(view), drop: () => dropChanges(view) });
