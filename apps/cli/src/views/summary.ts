import type { RunSummary } from '@holdfast/api';
import { isLaneEvent, standingOf, type RunEventData, type RunState } from '@holdfast/events';
import type { LaneRecord } from '@holdfast/sdk';
import { describeWait } from '@holdfast/words';

/** What is kept of a run while lanes are read: what its folded state does not say, or has forgotten. */
export type Header = {
  readonly lane: number;
  readonly seq: number;
  readonly updatedAt: number;
  readonly accepted: RunEventData<'RunAccepted'>;
  readonly end: RunEventData<'RunEnded'> | null;
  readonly report: RunEventData<'RunEnded'>['report'] | null;
};

/** The header after one more record; null for records that are about no run, or no history. */
export const noteRecord = (
  known: Header | undefined,
  { folded, record, at }: LaneRecord,
  lane: number,
): Header | null => {
  const { event } = record;
  if (folded !== 'valid' || isLaneEvent(event)) return null;
  const place = { lane, seq: record.lane.seq, updatedAt: at };
  if (event.type === 'RunAccepted') return { ...place, accepted: event.data, end: null, report: null };
  if (known === undefined) return null;
  const next = { ...known, ...place };
  if (event.type === 'RunEnded') return { ...next, end: event.data, report: event.data.report };
  return event.type === 'ReportAmended' ? { ...next, report: event.data.report } : next;
};

/** One line of the list of runs. `run` is undefined where the lane has forgotten it, long after its end. */
export const summaryOf = (header: Header, run: RunState | undefined): RunSummary => {
  const { accepted, end, lane, seq, updatedAt } = header;
  const standing = run === undefined ? null : standingOf(run, updatedAt);
  return {
    runId: accepted.runId,
    lane,
    seq,
    updatedAt,
    status: standing?.status ?? 'ended',
    reason: end?.reason ?? null,
    labels: accepted.labels,
    tenant: accepted.tenant ?? null,
    parentRunId: accepted.parent?.runId ?? null,
    acceptedAt: accepted.acceptedAt,
    deadlineAt: run === undefined || run.status === 'ended' ? accepted.deadlineAt : run.deadlineAt,
    endedAt: end?.endedAt ?? null,
    principal: accepted.principal,
    ...counts(header, run),
    waitingFor: standing?.waiting == null ? null : describeWait(standing.waiting),
  };
};

type Counts = Pick<
  RunSummary,
  'stepsOpen' | 'stepsSucceeded' | 'stepsFailed' | 'effectsApplied' | 'doubtsOpen' | 'questionsOpen'
>;

const counts = ({ report }: Header, run: RunState | undefined): Counts => {
  const live = run === undefined || run.status === 'ended' ? null : run;
  const known = live?.report ?? report;
  return {
    stepsOpen: live?.steps.length ?? 0,
    stepsSucceeded: known?.stepsSucceeded ?? 0,
    stepsFailed: known?.stepsFailed ?? 0,
    effectsApplied: known?.applied ?? 0,
    doubtsOpen: live?.steps.filter(({ doubt }) => doubt !== null).length ?? 0,
    questionsOpen: live === null ? 0 : Object.keys(live.escalations).length,
  };
};
