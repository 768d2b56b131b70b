import type { RunDetail } from '@holdfast/api';
import { gaugesOf, type HistoryRecord, type LiveRun } from '@holdfast/events';
import type { RunHistory } from '@holdfast/sdk';
import { toldBy } from '@holdfast/explain';
import { summaryOf } from './summary.js';

/** A run with all that its history says about it. */
export const detailOf = ({ records, lane, updatedAt }: RunHistory): RunDetail => {
  const told = toldBy(records);
  const { accepted, run, live, end, last } = told;
  const report = told.amended.at(-1)?.report ?? end?.report ?? null;
  const place = { lane, seq: last.lane.seq, updatedAt: updatedAt ?? Date.parse(last.time) };
  return {
    ...summaryOf({ ...place, accepted, end, report }, run),
    requestId: accepted.requestId,
    program: accepted.program as RunDetail['program'],
    input: accepted.input,
    tools: accepted.tools as RunDetail['tools'],
    output: end?.output ?? null,
    detail: end?.detail ?? null,
    report,
    budgets: [...gaugesOf({ budget: live.budget, spent: told.spent })],
    ...stops(live),
    children: childrenOf(records),
  };
};

const stops = ({ cancel, paused }: LiveRun): Pick<RunDetail, 'cancel' | 'paused'> => ({
  cancel: cancel === null ? null : { reason: cancel.reason, by: cancel.principal, deadlineAt: cancel.deadlineAt },
  paused: paused === null ? null : { reason: paused.reason, by: paused.principal, since: paused.since },
});

/** All that it has begun, whether they are over or not. */
const childrenOf = (records: readonly HistoryRecord[]): string[] =>
  records.flatMap(({ event }) => (event.type === 'ChildStarted' ? [event.data.childRunId] : []));
