import { gaugesOf, standingOf, type LiveRun, type RunEventData } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import type { RunRow } from '../store/tables.js';
import type { LiveRunView, RunView } from './lane.view.js';
import type { ToldOfRun } from './told.js';

/** The view of a run that was just accepted. */
export const newRunView = (data: RunEventData<'RunAccepted'>, state: LiveRunView, told: ToldOfRun): RunView => ({
  runId: data.runId,
  acceptedSeq: told.seq,
  header: {
    labels: data.labels,
    tenant: data.tenant ?? null,
    parentRunId: data.parent?.runId ?? null,
    principal: data.principal,
    acceptedAt: data.acceptedAt,
  },
  live: state,
  state,
  last: told,
  end: null,
  reportSeq: null,
  tally: { stepsSucceeded: 0, stepsFailed: 0, effectsApplied: 0 },
  cancel: null,
  steps: new Set(),
  left: new Set(),
  attempts: new Map(),
  finished: new Set(),
  doubts: new Set(),
  questions: new Set(),
});

/** Takes in what an event says about the run as a whole. Its state is in the view already. */
export const projectRun = (run: RunView, told: ToldOfRun): void => {
  const { event, seq, offset, at } = told;
  run.last = { seq, offset, at };
  if (run.state.status !== 'ended') noteLive(run, run.state);
  if (event.type === 'RunEnded') {
    const { reason, detail, endedAt } = event.data;
    run.end = { reason, detail, endedAt, endedSeq: seq };
  }
  if (event.type !== 'RunEnded' && event.type !== 'ReportAmended') return;
  const { applied: effectsApplied, stepsSucceeded, stepsFailed } = event.data.report;
  run.tally = { effectsApplied, stepsSucceeded, stepsFailed };
  run.reportSeq = seq;
  if (event.data.spent !== undefined) run.live = { ...run.live, spent: event.data.spent };
};

const noteLive = (run: RunView, live: LiveRunView): void => {
  run.live = live;
  const { applied: effectsApplied, stepsSucceeded, stepsFailed } = live.report;
  run.tally = { effectsApplied, stepsSucceeded, stepsFailed };
  if (live.cancel !== null) {
    const { reason, principal: by, deadlineAt } = live.cancel;
    run.cancel = { reason, by, deadlineAt };
  }
};

/** The run's row as of its last record. */
export const runRow = (run: RunView, lane: number): RunRow => {
  const { state, live, last, end } = run;
  // As of its last record: rows follow from history alone, and no clock says what is due meanwhile.
  const { status, waiting } = standingOf(state, last.at);
  return {
    runId: run.runId,
    lane,
    offset: last.offset,
    seq: last.seq,
    acceptedSeq: run.acceptedSeq,
    status,
    reason: null,
    detail: null,
    endedAt: null,
    endedSeq: null,
    ...end,
    ...run.header,
    updatedAt: last.at,
    deadlineAt: live.deadlineAt,
    reportSeq: run.reportSeq,
    stepsOpen: run.steps.size,
    ...run.tally,
    doubtsOpen: run.doubts.size,
    questionsOpen: run.questions.size,
    waiting: waiting === null ? null : { ...waiting },
    budgets: gaugesOf(live) as unknown as Json,
    cancel: run.cancel,
    paused: state.status === 'ended' ? null : pausedOf(state),
  };
};

const pausedOf = ({ paused }: LiveRun): Json =>
  paused === null ? null : { reason: paused.reason, by: paused.principal, since: paused.since };
