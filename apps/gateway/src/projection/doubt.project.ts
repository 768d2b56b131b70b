import { openStep } from '@holdfast/events';
import type { DoubtRow } from '../store/tables.js';
import { numberKey, type LaneView, type RunView } from './lane.view.js';
import type { ToldOfRun } from './told.js';

/** Brings the rows of a run's doubts up to date. */
export const projectDoubts = (view: LaneView, run: RunView, told: ToldOfRun): void => {
  const { event } = told;
  if (event.type === 'DoubtOpened') open(view, run, told);
  else if (event.type === 'ProbeRecorded') {
    const { probe, evidence, doubtSeq } = event.data;
    change(view, run, doubtSeq, { offset: told.offset, probes: probe, evidence: evidence.summary });
  } else if (event.type === 'DoubtSettled') {
    const { verdict, by, evidence, doubtSeq } = event.data;
    end(view, run, told, { seq: doubtSeq, verdict, by, evidence: evidence.summary });
  }
  endForgotten(view, run, told);
};

const open = (view: LaneView, run: RunView, told: ToldOfRun): void => {
  if (told.event.type !== 'DoubtOpened' || run.state.status === 'ended') return;
  const { stepId, attempt, cause, settledAt, settleBy, holds } = told.event.data;
  const step = openStep(run.state, stepId);
  const row: DoubtRow = {
    runId: run.runId,
    seq: told.seq,
    lane: told.lane,
    offset: told.offset,
    stepId,
    attempt,
    tool: step?.tool ?? '',
    cause,
    holds: step?.doubt?.holds ?? holds,
    openedAt: told.at,
    settledAt: step?.doubt?.settledAt ?? settledAt,
    settleBy: step?.doubt?.settleBy ?? settleBy,
    probes: 0,
    evidence: null,
    verdict: null,
    by: null,
    endedAt: null,
  };
  view.doubts.put(row);
  run.doubts.add(numberKey(row));
};

const change = (view: LaneView, run: RunView, seq: number, to: Partial<DoubtRow>): void => {
  const row = view.doubts.get(numberKey({ runId: run.runId, seq }));
  if (row !== undefined) view.doubts.put({ ...row, ...to });
};

type Settled = Pick<DoubtRow, 'seq' | 'verdict' | 'by' | 'evidence'>;

const end = (view: LaneView, run: RunView, told: ToldOfRun, settled: Settled): void => {
  const key = numberKey({ runId: run.runId, seq: settled.seq });
  const row = view.doubts.get(key);
  if (row === undefined) return;
  view.doubts.close({ ...row, ...settled, offset: told.offset, endedAt: told.at });
  run.doubts.delete(key);
};

/** Doubts that are no longer asked about: a later one of the step takes their place, or the step is over. */
const endForgotten = (view: LaneView, run: RunView, told: ToldOfRun): void => {
  for (const key of run.doubts) {
    const row = view.doubts.get(key);
    const { state } = run;
    const doubt = row === undefined || state.status === 'ended' ? null : openStep(state, row.stepId)?.doubt;
    if (row === undefined || doubt?.seq === row.seq) continue;
    const verdict = doubt == null ? null : 'replaced';
    end(view, run, told, { seq: row.seq, verdict, by: null, evidence: row.evidence });
  }
};
