import type { LaneRequest, RequestOf } from '@holdfast/contracts';
import {
  addAmounts,
  childOf,
  cut,
  runSpan,
  traceparentOf,
  type LiveRun,
  type Parent,
  type RunEventData,
  type RunState,
  type SharedEventData,
} from '@holdfast/events';
import { argsOf, type Json } from '@holdfast/programs';
import { boundedText } from '../run/bounded.js';
import { peopleFor } from '../run/people-for.js';
import type { Reaction } from '../run/run.react.js';
import { childWish, undoWish } from '../run/undo-wish.js';

type Asked = Extract<Reaction, { kind: 'request' }>;
const ask = (home: string, request: LaneRequest, seq: number): Asked => ({ kind: 'request', home, request, seq });

/** The submission of a child, until it is known to have been read. */
export const submitChild = (after: RunState, data: RunEventData<'ChildStarted'>, seq: number): readonly Reaction[] => {
  if (after.status === 'ended' || after.end !== null) return [];
  const child = childOf(after, data.childRunId);
  if (child?.status !== 'asked' || child.ticket !== data.ticket) return [];
  const asked = ask(data.childRunId, submission(after, data), seq);
  return [after.trace === undefined ? asked : { ...asked, traceparent: traceparentOf(after.trace, runSpan(after)) }];
};

const submission = (run: LiveRun, data: RunEventData<'ChildStarted'>): LaneRequest => {
  const { stepId, childRunId: runId, ticket, depth, detached, bornBy, deadlineAt } = data;
  const resolved = argsOf(run.program, run.input, run.progress, stepId);
  if ('problem' in resolved) throw new Error(`what ${stepId} begins is gone: ${resolved.problem}`);
  const { program, input } = resolved.args as { readonly program: Json; readonly input: Json };
  const parent = { runId: run.runId, stepId, ticket, depth, detached };
  const until = deadlineAt === null ? {} : { deadlineAt };
  const undo = run.undo?.onCancel === true ? { compensate: 'on_cancel' } : {};
  const { limits, tenant } = data;
  return {
    type: 'SubmitRun',
    data: {
      requestId: `child ${ticket}`,
      runId,
      program,
      input,
      labels: run.labels,
      parent,
      bornBy,
      ...until,
      ...undo,
      ...peopleFor(run, program),
      ...(limits === undefined ? {} : { limits }),
      ...(tenant === undefined ? {} : { tenant }),
    },
  } as LaneRequest;
};

/** Each child is cancelled under the deadline of the run that began it. */
export const cancelChildren = (data: RunEventData<'ChildrenStopped'>, seq: number): readonly Reaction[] =>
  data.children.map(({ runId, ticket }) => {
    const { reason, deadlineAt, mode } = data;
    const why = cut(reason, 2_000);
    const request = {
      requestId: `stop ${ticket} ${deadlineAt}`,
      runId,
      reason: why,
      deadlineAt,
      child: ticket,
      ...(mode === undefined ? {} : { mode }),
      ...undoWish(data),
    };
    return ask(runId, { type: 'CancelRun', data: request }, seq);
  });

/** It was stopped before it had begun, and has begun all the same: it is told once more. */
export const stopAccepted = (
  after: RunState,
  { childRunId: runId }: RunEventData<'ChildAccepted'>,
  seq: number,
): readonly Reaction[] => {
  const child = after.status === 'ended' ? undefined : childOf(after, runId);
  if (after.status === 'ended' || child === undefined || !child.stopped || child.deadlineAt === null) return [];
  const { ticket, deadlineAt } = child;
  const reason = cut(after.cancel?.reason ?? 'the run that began it stops', 2_000);
  const about = { requestId: `stop begun ${ticket}`, runId, child: ticket };
  return [ask(runId, { type: 'CancelRun', data: { ...about, reason, deadlineAt, ...childWish(after.cancel) } }, seq)];
};

type Report = RequestOf<'ReportChild'>['data']['report'];

const tell = (childRunId: string, parent: Pick<Parent, 'runId' | 'ticket'>, report: Report, seq: number): Reaction => {
  const { runId, ticket } = parent;
  const data = { requestId: `report ${seq}`, runId, ticket, childRunId, report };
  return ask(runId, { type: 'ReportChild', data }, seq);
};

export const tellAccepted = ({ runId, parent }: RunEventData<'RunAccepted'>, seq: number): readonly Reaction[] =>
  parent === undefined ? [] : [tell(runId, parent, { status: 'accepted' }, seq)];

export const tellEnded = (runId: string, data: RunEventData<'RunEnded'>, seq: number): readonly Reaction[] => {
  const { parent, reason, detail, output, report, spent } = data;
  if (parent === undefined) return [];
  const { applied, stepsSucceeded, stepsFailed } = report;
  const { inDoubt, running } = report.totals;
  const totals = { applied, inDoubt, running, stepsSucceeded, stepsFailed };
  const value = output === undefined ? {} : { output };
  // It counts as a child itself, beside those that it has begun.
  const used = spent === undefined ? {} : { used: addAmounts(spent, { children: 1 }) };
  return [
    tell(runId, parent, { status: 'ended', reason, detail: boundedText(detail), ...value, totals, ...used }, seq),
  ];
};

export const tellRefusedChild = (data: SharedEventData<'ChildRefused'>, seq: number): readonly Reaction[] => {
  const { runId, parent, code, message } = data;
  return [
    tell(
      runId,
      parent,
      { status: 'ended', reason: 'refused', detail: boundedText(`${code}: ${message}`), used: {} },
      seq,
    ),
  ];
};
